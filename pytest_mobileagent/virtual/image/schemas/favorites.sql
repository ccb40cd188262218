-- The launcher's database of the items on the home screen.
CREATE TABLE favorites (_id INTEGER PRIMARY KEY, title TEXT, intent TEXT, container INTEGER,
    screen INTEGER, cellX INTEGER, cellY INTEGER, spanX INTEGER, spanY INTEGER, itemType INTEGER,
    appWidgetId INTEGER NOT NULL DEFAULT -1, iconPackage TEXT, iconResource TEXT, icon BLOB,
    appWidgetProvider TEXT, modified INTEGER NOT NULL DEFAULT 0,
    restored INTEGER NOT NULL DEFAULT 0, profileId INTEGER DEFAULT 0,
    rank INTEGER NOT NULL DEFAULT 0, options INTEGER NOT NULL DEFAULT 0);
CREATE TABLE workspaceScreens (_id INTEGER PRIMARY KEY, screenRank INTEGER,
    modified INTEGER NOT NULL DEFAULT 0);
PRAGMA user_version = 28;
