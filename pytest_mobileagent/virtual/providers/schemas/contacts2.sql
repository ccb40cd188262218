PRAGMA user_version = 1700;
CREATE TABLE accounts (_id INTEGER PRIMARY KEY AUTOINCREMENT, account_name TEXT,
    account_type TEXT, data_set TEXT, sim_slot_index INTEGER, sim_ef_type INTEGER);
INSERT INTO accounts (account_name) VALUES (NULL);
CREATE TABLE contacts (_id INTEGER PRIMARY KEY AUTOINCREMENT,
    name_raw_contact_id INTEGER REFERENCES raw_contacts(_id),
    photo_id INTEGER REFERENCES data(_id), photo_file_id INTEGER, custom_ringtone TEXT,
    send_to_voicemail INTEGER NOT NULL DEFAULT 0, x_times_contacted INTEGER NOT NULL DEFAULT 0,
    x_last_time_contacted INTEGER, times_contacted INTEGER NOT NULL DEFAULT 0,
    last_time_contacted INTEGER, starred INTEGER NOT NULL DEFAULT 0,
    pinned INTEGER NOT NULL DEFAULT 0, has_phone_number INTEGER NOT NULL DEFAULT 0,
    lookup TEXT, status_update_id INTEGER REFERENCES data(_id),
    contact_last_updated_timestamp INTEGER);
CREATE TABLE raw_contacts (_id INTEGER PRIMARY KEY AUTOINCREMENT,
    account_id INTEGER REFERENCES accounts(_id), sourceid TEXT, backup_id TEXT,
    raw_contact_is_read_only INTEGER NOT NULL DEFAULT 0, version INTEGER NOT NULL DEFAULT 1,
    dirty INTEGER NOT NULL DEFAULT 0, deleted INTEGER NOT NULL DEFAULT 0,
    metadata_dirty INTEGER NOT NULL DEFAULT 0, contact_id INTEGER REFERENCES contacts(_id),
    aggregation_mode INTEGER NOT NULL DEFAULT 0, aggregation_needed INTEGER NOT NULL DEFAULT 1,
    custom_ringtone TEXT, send_to_voicemail INTEGER NOT NULL DEFAULT 0,
    x_times_contacted INTEGER NOT NULL DEFAULT 0, x_last_time_contacted INTEGER,
    times_contacted INTEGER NOT NULL DEFAULT 0, last_time_contacted INTEGER,
    starred INTEGER NOT NULL DEFAULT 0, pinned INTEGER NOT NULL DEFAULT 0, display_name TEXT,
    display_name_alt TEXT, display_name_source INTEGER NOT NULL DEFAULT 0, phonetic_name TEXT,
    phonetic_name_style TEXT, sort_key TEXT, phonebook_label TEXT, phonebook_bucket INTEGER,
    sort_key_alt TEXT, phonebook_label_alt TEXT, phonebook_bucket_alt INTEGER,
    name_verified INTEGER NOT NULL DEFAULT 0, sync1 TEXT, sync2 TEXT, sync3 TEXT, sync4 TEXT);
CREATE INDEX raw_contacts_contact_id_index ON raw_contacts (contact_id);
CREATE TABLE mimetypes (_id INTEGER PRIMARY KEY AUTOINCREMENT, mimetype TEXT NOT NULL);
CREATE UNIQUE INDEX mime_type ON mimetypes (mimetype);
INSERT INTO mimetypes (mimetype) VALUES ('vnd.android.cursor.item/email_v2'),
    ('vnd.android.cursor.item/im'), ('vnd.android.cursor.item/nickname'),
    ('vnd.android.cursor.item/organization'), ('vnd.android.cursor.item/phone_v2'),
    ('vnd.android.cursor.item/sip_address'), ('vnd.android.cursor.item/name'),
    ('vnd.android.cursor.item/postal-address_v2'), ('vnd.android.cursor.item/identity'),
    ('vnd.android.cursor.item/photo'), ('vnd.android.cursor.item/group_membership'),
    ('vnd.android.cursor.item/note'), ('vnd.android.cursor.item/website'),
    ('vnd.android.cursor.item/contact_event'), ('vnd.android.cursor.item/relation');
CREATE TABLE packages (_id INTEGER PRIMARY KEY AUTOINCREMENT, package TEXT NOT NULL);
CREATE TABLE data (_id INTEGER PRIMARY KEY AUTOINCREMENT,
    package_id INTEGER REFERENCES package(_id), mimetype_id INTEGER NOT NULL,
    raw_contact_id INTEGER NOT NULL, hash_id TEXT, is_read_only INTEGER NOT NULL DEFAULT 0,
    is_primary INTEGER NOT NULL DEFAULT 0, is_super_primary INTEGER NOT NULL DEFAULT 0,
    data_version INTEGER NOT NULL DEFAULT 0, data1 TEXT, data2 TEXT, data3 TEXT, data4 TEXT,
    data5 TEXT, data6 TEXT, data7 TEXT, data8 TEXT, data9 TEXT, data10 TEXT, data11 TEXT,
    data12 TEXT, data13 TEXT, data14 TEXT, data15 TEXT, data_sync1 TEXT, data_sync2 TEXT,
    data_sync3 TEXT, data_sync4 TEXT,
    carrier_presence INTEGER NOT NULL DEFAULT 0, preferred_phone_account_component_name TEXT,
    preferred_phone_account_id TEXT);
CREATE INDEX data_raw_contact_id ON data (raw_contact_id);
CREATE INDEX data_mimetype_data1_index ON data (mimetype_id, data1);
CREATE TABLE phone_lookup (data_id INTEGER REFERENCES data(_id) NOT NULL,
    raw_contact_id INTEGER REFERENCES raw_contacts(_id) NOT NULL,
    normalized_number TEXT NOT NULL, min_match TEXT NOT NULL);
CREATE INDEX phone_lookup_min_match_index ON phone_lookup (min_match);
CREATE TABLE name_lookup (data_id INTEGER REFERENCES data(_id) NOT NULL,
    raw_contact_id INTEGER REFERENCES raw_contacts(_id) NOT NULL,
    normalized_name TEXT NOT NULL, name_type INTEGER NOT NULL,
    PRIMARY KEY (data_id, normalized_name, name_type));
CREATE TABLE groups (_id INTEGER PRIMARY KEY AUTOINCREMENT, package_id INTEGER,
    account_id INTEGER REFERENCES accounts(_id), sourceid TEXT,
    version INTEGER NOT NULL DEFAULT 1, dirty INTEGER NOT NULL DEFAULT 0, title TEXT,
    title_res INTEGER, notes TEXT, system_id TEXT, deleted INTEGER NOT NULL DEFAULT 0,
    group_visible INTEGER NOT NULL DEFAULT 0, should_sync INTEGER NOT NULL DEFAULT 1,
    auto_add INTEGER NOT NULL DEFAULT 0, favorites INTEGER NOT NULL DEFAULT 0,
    group_is_read_only INTEGER NOT NULL DEFAULT 0, sync1 TEXT, sync2 TEXT, sync3 TEXT,
    sync4 TEXT);
CREATE TABLE deleted_contacts (contact_id INTEGER PRIMARY KEY,
    contact_deleted_timestamp INTEGER NOT NULL DEFAULT 0);
CREATE TABLE properties (property_key TEXT PRIMARY KEY, property_value TEXT);
CREATE TABLE settings (account_name STRING, account_type STRING, data_set STRING,
    ungrouped_visible INTEGER NOT NULL DEFAULT 0, should_sync INTEGER NOT NULL DEFAULT 1);
CREATE TRIGGER raw_contacts_deleted BEFORE DELETE ON raw_contacts BEGIN
    DELETE FROM data WHERE raw_contact_id = OLD._id;
    DELETE FROM contacts WHERE _id = OLD.contact_id
        AND (SELECT count(*) FROM raw_contacts WHERE contact_id = OLD.contact_id) = 1;
END;
CREATE TRIGGER data_deleted BEFORE DELETE ON data BEGIN
    UPDATE raw_contacts SET version = version + 1 WHERE _id = OLD.raw_contact_id;
    DELETE FROM phone_lookup WHERE data_id = OLD._id;
    DELETE FROM name_lookup WHERE data_id = OLD._id;
END;
CREATE VIEW view_raw_contacts AS SELECT raw_contacts.account_id, raw_contacts._id,
    raw_contacts.contact_id, aggregation_mode, raw_contact_is_read_only, deleted,
    display_name_source, display_name, display_name_alt, phonetic_name, phonetic_name_style,
    sort_key, phonebook_label, phonebook_bucket, sort_key_alt, phonebook_label_alt,
    phonebook_bucket_alt, 0 AS raw_contact_is_user_profile, custom_ringtone,
    send_to_voicemail, times_contacted, last_time_contacted, starred, pinned,
    accounts.account_name AS account_name, accounts.account_type AS account_type,
    accounts.data_set AS data_set, accounts.account_type AS account_type_and_data_set,
    sourceid, backup_id, version, dirty, sync1, sync2, sync3, sync4
    FROM raw_contacts JOIN accounts ON raw_contacts.account_id = accounts._id;
CREATE VIEW view_contacts AS SELECT 0 AS last_time_contacted,
    named.phonetic_name AS phonetic_name, contacts.custom_ringtone AS custom_ringtone,
    NULL AS contact_status_ts, contacts.pinned AS pinned, contacts.photo_id AS photo_id,
    contacts.photo_file_id AS photo_file_id, NULL AS contact_status_res_package,
    NULL AS contact_chat_capability, NULL AS contact_status_icon,
    named.display_name_alt AS display_name_alt, named.sort_key_alt AS sort_key_alt,
    1 AS in_visible_group, contacts.starred AS starred, NULL AS contact_status_label,
    named.phonebook_label AS phonebook_label, 0 AS is_user_profile,
    contacts.has_phone_number AS has_phone_number,
    named.display_name_source AS display_name_source,
    named.phonetic_name_style AS phonetic_name_style,
    contacts.send_to_voicemail AS send_to_voicemail, contacts.lookup AS lookup,
    named.phonebook_label_alt AS phonebook_label_alt,
    contacts.contact_last_updated_timestamp AS contact_last_updated_timestamp,
    NULL AS photo_uri, named.phonebook_bucket AS phonebook_bucket, NULL AS contact_status,
    named.display_name AS display_name, named.sort_key AS sort_key, NULL AS photo_thumb_uri,
    NULL AS contact_presence, 1 AS in_default_directory, 0 AS times_contacted,
    contacts._id AS _id, contacts.name_raw_contact_id AS name_raw_contact_id,
    named.phonebook_bucket_alt AS phonebook_bucket_alt
    FROM contacts JOIN raw_contacts AS named ON contacts.name_raw_contact_id = named._id;
CREATE VIEW view_data AS SELECT data._id AS _id, data.raw_contact_id, data.hash_id,
    raw.contact_id, raw.account_id, raw.account_name, raw.account_type, raw.data_set,
    raw.account_type_and_data_set, raw.sourceid, raw.version, raw.dirty,
    is_primary, is_super_primary, data_version, data.mimetype_id, mimetypes.mimetype AS mimetype,
    data.is_read_only, data1, data2, data3, data4, data5, data6, data7, data8, data9, data10,
    data11, data12, data13, data14, data15, carrier_presence,
    preferred_phone_account_component_name,
    preferred_phone_account_id, data_sync1, data_sync2, data_sync3, data_sync4,
    contacts.custom_ringtone AS custom_ringtone, contacts.send_to_voicemail AS send_to_voicemail,
    contacts.starred AS starred, contacts.pinned AS pinned, 0 AS times_contacted,
    0 AS last_time_contacted, contacts.photo_id AS photo_id, NULL AS photo_uri,
    NULL AS photo_thumb_uri, contacts.has_phone_number AS has_phone_number,
    contacts.lookup AS lookup, contacts.contact_last_updated_timestamp
    AS contact_last_updated_timestamp, raw.display_name AS display_name,
    raw.display_name_alt AS display_name_alt, raw.display_name_source AS display_name_source,
    raw.phonetic_name AS phonetic_name, raw.sort_key AS sort_key,
    raw.sort_key_alt AS sort_key_alt, raw.phonebook_label AS phonebook_label,
    raw.phonebook_bucket AS phonebook_bucket, contacts.name_raw_contact_id
    AS name_raw_contact_id, 0 AS raw_contact_is_user_profile, 1 AS in_visible_group,
    1 AS in_default_directory
    FROM data JOIN mimetypes ON data.mimetype_id = mimetypes._id
    JOIN view_raw_contacts AS raw ON data.raw_contact_id = raw._id
    JOIN contacts ON raw.contact_id = contacts._id;
CREATE VIEW view_groups AS SELECT groups._id AS _id, groups.account_id,
    accounts.account_name AS account_name, accounts.account_type AS account_type,
    accounts.data_set AS data_set, sourceid, version, dirty, title, title_res, notes, system_id,
    deleted, group_visible, should_sync, auto_add, favorites, group_is_read_only
    FROM groups JOIN accounts ON groups.account_id = accounts._id;
