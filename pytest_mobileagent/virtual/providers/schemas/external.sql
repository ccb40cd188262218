PRAGMA user_version = 1409;
CREATE TABLE files (_id INTEGER PRIMARY KEY AUTOINCREMENT, _data TEXT UNIQUE COLLATE NOCASE,
    _size INTEGER, format INTEGER, parent INTEGER, date_added INTEGER, date_modified INTEGER,
    mime_type TEXT, title TEXT, description TEXT, _display_name TEXT, orientation INTEGER,
    datetaken INTEGER, bucket_id TEXT, bucket_display_name TEXT, group_id INTEGER,
    duration INTEGER, artist TEXT, album TEXT, album_artist TEXT, genre TEXT, composer TEXT,
    track INTEGER, year INTEGER, is_music INTEGER, is_ringtone INTEGER, is_alarm INTEGER,
    is_notification INTEGER, is_podcast INTEGER, is_audiobook INTEGER, is_recording INTEGER,
    media_type INTEGER, width INTEGER, height INTEGER, resolution TEXT, relative_path TEXT,
    volume_name TEXT, owner_package_name TEXT, is_download INTEGER DEFAULT 0,
    is_drm INTEGER DEFAULT 0, is_pending INTEGER DEFAULT 0, is_trashed INTEGER DEFAULT 0,
    is_favorite INTEGER DEFAULT 0, date_expires INTEGER, download_uri TEXT, referer_uri TEXT,
    document_id TEXT, generation_added INTEGER DEFAULT 0, generation_modified INTEGER DEFAULT 0);
CREATE INDEX media_type_index ON files (media_type);
CREATE VIEW images AS SELECT * FROM files WHERE media_type = 1;
CREATE VIEW audio AS SELECT * FROM files WHERE media_type = 2;
CREATE VIEW video AS SELECT * FROM files WHERE media_type = 3;
CREATE VIEW downloads AS SELECT * FROM files WHERE is_download = 1;
