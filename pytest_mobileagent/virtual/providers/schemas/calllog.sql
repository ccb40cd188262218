PRAGMA user_version = 11;
CREATE TABLE calls (_id INTEGER PRIMARY KEY AUTOINCREMENT, number TEXT,
    presentation INTEGER NOT NULL DEFAULT 1, post_dial_digits TEXT NOT NULL DEFAULT '',
    via_number TEXT NOT NULL DEFAULT '', date INTEGER, duration INTEGER, data_usage INTEGER,
    type INTEGER, features INTEGER NOT NULL DEFAULT 0, subscription_component_name TEXT,
    subscription_id TEXT, phone_account_address TEXT,
    phone_account_hidden INTEGER NOT NULL DEFAULT 0, sub_id INTEGER DEFAULT -1, new INTEGER,
    name TEXT, numbertype INTEGER, numberlabel TEXT, countryiso TEXT, voicemail_uri TEXT,
    is_read INTEGER, geocoded_location TEXT, lookup_uri TEXT, matched_number TEXT,
    normalized_number TEXT, photo_id INTEGER NOT NULL DEFAULT 0, photo_uri TEXT,
    formatted_number TEXT, add_for_all_users INTEGER NOT NULL DEFAULT 1,
    last_modified INTEGER DEFAULT 0, call_screening_component_name TEXT,
    call_screening_app_name TEXT, block_reason INTEGER NOT NULL DEFAULT 0,
    missed_reason INTEGER NOT NULL DEFAULT 0, priority INTEGER NOT NULL DEFAULT 0, subject TEXT,
    location TEXT, composer_photo_uri TEXT);
CREATE TABLE voicemail_status (_id INTEGER PRIMARY KEY AUTOINCREMENT, source_package TEXT NOT NULL,
    source_type TEXT, settings_uri TEXT, voicemail_access_uri TEXT,
    configuration_state INTEGER, data_channel_state INTEGER,
    notification_channel_state INTEGER, quota_occupied INTEGER DEFAULT -1,
    quota_total INTEGER DEFAULT -1);
CREATE TABLE properties (property_key TEXT PRIMARY KEY, property_value TEXT);
