PRAGMA user_version = 67;
CREATE TABLE sms (_id INTEGER PRIMARY KEY AUTOINCREMENT, thread_id INTEGER, address TEXT,
    person INTEGER, date INTEGER, date_sent INTEGER DEFAULT 0, protocol INTEGER,
    read INTEGER DEFAULT 0, status INTEGER DEFAULT -1, type INTEGER, reply_path_present INTEGER,
    subject TEXT, body TEXT, service_center TEXT, locked INTEGER DEFAULT 0,
    sub_id INTEGER DEFAULT -1, error_code INTEGER DEFAULT -1, creator TEXT,
    seen INTEGER DEFAULT 0);
CREATE INDEX typeThreadIdIndex ON sms (type, thread_id);
CREATE TABLE threads (_id INTEGER PRIMARY KEY AUTOINCREMENT, date INTEGER DEFAULT 0,
    message_count INTEGER DEFAULT 0, recipient_ids TEXT, snippet TEXT,
    snippet_cs INTEGER DEFAULT 0, read INTEGER DEFAULT 1, archived INTEGER DEFAULT 0,
    type INTEGER DEFAULT 0, error INTEGER DEFAULT 0, has_attachment INTEGER DEFAULT 0);
CREATE TABLE canonical_addresses (_id INTEGER PRIMARY KEY AUTOINCREMENT, address TEXT,
    sub_id INTEGER DEFAULT -1);
CREATE TABLE pdu (_id INTEGER PRIMARY KEY AUTOINCREMENT, thread_id INTEGER, date INTEGER,
    date_sent INTEGER DEFAULT 0, msg_box INTEGER, read INTEGER DEFAULT 0, m_id TEXT, sub TEXT,
    sub_cs INTEGER, ct_t TEXT, ct_l TEXT, exp INTEGER, m_cls TEXT, m_type INTEGER, v INTEGER,
    m_size INTEGER, pri INTEGER, rr INTEGER, rpt_a INTEGER, resp_st INTEGER, st INTEGER,
    tr_id TEXT, retr_st INTEGER, retr_txt TEXT, retr_txt_cs INTEGER, read_status INTEGER,
    ct_cls INTEGER, resp_txt TEXT, d_tm INTEGER, d_rpt INTEGER, locked INTEGER DEFAULT 0,
    sub_id INTEGER DEFAULT -1, seen INTEGER DEFAULT 0, creator TEXT,
    text_only INTEGER DEFAULT 0);
CREATE TABLE part (_id INTEGER PRIMARY KEY AUTOINCREMENT, mid INTEGER, seq INTEGER DEFAULT 0,
    ct TEXT, name TEXT, chset INTEGER, cd TEXT, fn TEXT, cid TEXT, cl TEXT, ctt_s INTEGER,
    ctt_t TEXT, _data TEXT, text TEXT);
CREATE TABLE addr (_id INTEGER PRIMARY KEY AUTOINCREMENT, msg_id INTEGER, contact_id INTEGER,
    address TEXT, type INTEGER, charset INTEGER);
CREATE TRIGGER sms_update_thread_on_insert AFTER INSERT ON sms BEGIN
    UPDATE threads SET
        message_count = (SELECT count(*) FROM sms WHERE thread_id = NEW.thread_id AND type != 3)
        WHERE _id = NEW.thread_id;
    UPDATE threads SET
        date = coalesce((SELECT max(date) FROM sms WHERE thread_id = NEW.thread_id), date),
        snippet = (SELECT body FROM sms WHERE thread_id = NEW.thread_id
            ORDER BY date DESC, _id DESC LIMIT 1),
        read = NOT EXISTS (SELECT 1 FROM sms WHERE thread_id = NEW.thread_id AND read = 0)
        WHERE _id = NEW.thread_id;
END;
CREATE TRIGGER sms_update_thread_on_update AFTER UPDATE OF date, body, type, read ON sms BEGIN
    UPDATE threads SET
        message_count = (SELECT count(*) FROM sms WHERE thread_id = NEW.thread_id AND type != 3)
        WHERE _id = NEW.thread_id;
    UPDATE threads SET
        date = coalesce((SELECT max(date) FROM sms WHERE thread_id = NEW.thread_id), date),
        snippet = (SELECT body FROM sms WHERE thread_id = NEW.thread_id
            ORDER BY date DESC, _id DESC LIMIT 1),
        read = NOT EXISTS (SELECT 1 FROM sms WHERE thread_id = NEW.thread_id AND read = 0)
        WHERE _id = NEW.thread_id;
END;
CREATE TRIGGER sms_update_thread_on_delete AFTER DELETE ON sms BEGIN
    UPDATE threads SET
        message_count = (SELECT count(*) FROM sms WHERE thread_id = OLD.thread_id AND type != 3)
        WHERE _id = OLD.thread_id;
    UPDATE threads SET
        date = coalesce((SELECT max(date) FROM sms WHERE thread_id = OLD.thread_id), date),
        snippet = (SELECT body FROM sms WHERE thread_id = OLD.thread_id
            ORDER BY date DESC, _id DESC LIMIT 1),
        read = NOT EXISTS (SELECT 1 FROM sms WHERE thread_id = OLD.thread_id AND read = 0)
        WHERE _id = OLD.thread_id;
    DELETE FROM threads WHERE _id = OLD.thread_id
        AND NOT EXISTS (SELECT 1 FROM sms WHERE thread_id = OLD.thread_id); END;
