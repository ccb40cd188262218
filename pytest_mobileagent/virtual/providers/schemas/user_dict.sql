PRAGMA user_version = 2;
CREATE TABLE words (_id INTEGER PRIMARY KEY, word TEXT, frequency INTEGER, locale TEXT,
    appid INTEGER, shortcut TEXT);
