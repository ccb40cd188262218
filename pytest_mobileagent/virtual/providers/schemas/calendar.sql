PRAGMA user_version = 600;
CREATE TABLE Calendars (_id INTEGER PRIMARY KEY, account_name TEXT, account_type TEXT,
    _sync_id TEXT, dirty INTEGER, mutators TEXT, name TEXT, calendar_displayName TEXT,
    calendar_color INTEGER, calendar_color_index TEXT, calendar_access_level INTEGER,
    visible INTEGER NOT NULL DEFAULT 1, sync_events INTEGER NOT NULL DEFAULT 0,
    calendar_location TEXT, calendar_timezone TEXT, ownerAccount TEXT, isPrimary INTEGER,
    canOrganizerRespond INTEGER NOT NULL DEFAULT 1, canModifyTimeZone INTEGER DEFAULT 1,
    canPartiallyUpdate INTEGER DEFAULT 0, maxReminders INTEGER DEFAULT 5,
    allowedReminders TEXT DEFAULT '0,1', allowedAvailability TEXT DEFAULT '0,1',
    allowedAttendeeTypes TEXT DEFAULT '0,1,2', deleted INTEGER NOT NULL DEFAULT 0, cal_sync1 TEXT,
    cal_sync2 TEXT, cal_sync3 TEXT, cal_sync4 TEXT, cal_sync5 TEXT, cal_sync6 TEXT, cal_sync7 TEXT,
    cal_sync8 TEXT, cal_sync9 TEXT, cal_sync10 TEXT);
CREATE TABLE Events (_id INTEGER PRIMARY KEY AUTOINCREMENT, _sync_id TEXT, dirty INTEGER,
    mutators TEXT, lastSynced INTEGER DEFAULT 0, calendar_id INTEGER NOT NULL, title TEXT,
    eventLocation TEXT, description TEXT, eventColor INTEGER, eventColor_index TEXT,
    eventStatus INTEGER, selfAttendeeStatus INTEGER NOT NULL DEFAULT 0, dtstart INTEGER,
    dtend INTEGER, eventTimezone TEXT, duration TEXT, allDay INTEGER NOT NULL DEFAULT 0,
    accessLevel INTEGER NOT NULL DEFAULT 0, availability INTEGER NOT NULL DEFAULT 0,
    hasAlarm INTEGER NOT NULL DEFAULT 0, hasExtendedProperties INTEGER NOT NULL DEFAULT 0,
    rrule TEXT, rdate TEXT, exrule TEXT, exdate TEXT, original_id INTEGER, original_sync_id TEXT,
    originalInstanceTime INTEGER, originalAllDay INTEGER, lastDate INTEGER,
    hasAttendeeData INTEGER NOT NULL DEFAULT 0, guestsCanModify INTEGER NOT NULL DEFAULT 0,
    guestsCanInviteOthers INTEGER NOT NULL DEFAULT 1,
    guestsCanSeeGuests INTEGER NOT NULL DEFAULT 1, organizer STRING, isOrganizer INTEGER,
    deleted INTEGER NOT NULL DEFAULT 0, eventEndTimezone TEXT, customAppPackage TEXT,
    customAppUri TEXT, uid2445 TEXT, sync_data1 TEXT, sync_data2 TEXT, sync_data3 TEXT,
    sync_data4 TEXT, sync_data5 TEXT, sync_data6 TEXT, sync_data7 TEXT, sync_data8 TEXT,
    sync_data9 TEXT, sync_data10 TEXT);
CREATE INDEX eventsCalendarIdIndex ON Events (calendar_id);
CREATE TABLE Attendees (_id INTEGER PRIMARY KEY, event_id INTEGER, attendeeName TEXT,
    attendeeEmail TEXT, attendeeStatus INTEGER, attendeeRelationship INTEGER,
    attendeeType INTEGER, attendeeIdentity TEXT, attendeeIdNamespace TEXT);
CREATE TABLE Reminders (_id INTEGER PRIMARY KEY, event_id INTEGER, minutes INTEGER,
    method INTEGER NOT NULL DEFAULT 0);
CREATE TABLE CalendarAlerts (_id INTEGER PRIMARY KEY, event_id INTEGER, begin INTEGER NOT NULL,
    end INTEGER NOT NULL, alarmTime INTEGER NOT NULL, creationTime INTEGER NOT NULL DEFAULT 0,
    receivedTime INTEGER NOT NULL DEFAULT 0, notifyTime INTEGER NOT NULL DEFAULT 0,
    state INTEGER NOT NULL, minutes INTEGER, UNIQUE (alarmTime, begin, event_id));
CREATE TABLE Instances (_id INTEGER PRIMARY KEY, event_id INTEGER, begin INTEGER, end INTEGER,
    startDay INTEGER, endDay INTEGER, startMinute INTEGER, endMinute INTEGER,
    UNIQUE (event_id, begin, end));
CREATE TABLE Colors (_id INTEGER PRIMARY KEY, account_name TEXT NOT NULL,
    account_type TEXT NOT NULL, data TEXT, color_type INTEGER NOT NULL,
    color_index TEXT NOT NULL, color INTEGER NOT NULL);
CREATE TABLE ExtendedProperties (_id INTEGER PRIMARY KEY, event_id INTEGER, name TEXT,
    value TEXT);
CREATE TABLE CalendarMetaData (_id INTEGER PRIMARY KEY, localTimezone TEXT, minInstance INTEGER,
    maxInstance INTEGER);
CREATE TABLE CalendarCache (_id INTEGER PRIMARY KEY, key TEXT NOT NULL, value TEXT);
CREATE TRIGGER events_cleanup_delete AFTER DELETE ON Events BEGIN
    DELETE FROM Instances WHERE event_id = OLD._id;
    DELETE FROM Attendees WHERE event_id = OLD._id;
    DELETE FROM Reminders WHERE event_id = OLD._id;
    DELETE FROM CalendarAlerts WHERE event_id = OLD._id;
    DELETE FROM ExtendedProperties WHERE event_id = OLD._id; END;
CREATE TRIGGER calendar_cleanup AFTER DELETE ON Calendars BEGIN
    DELETE FROM Events WHERE calendar_id = OLD._id; END;
CREATE VIEW view_events AS SELECT Events._id AS _id,
    Events.title AS title, Events.description AS description,
    Events.eventLocation AS eventLocation, Events.eventColor AS eventColor,
    Events.eventColor_index AS eventColor_index, Events.eventStatus AS eventStatus,
    Events.selfAttendeeStatus AS selfAttendeeStatus, Events.dtstart AS dtstart,
    Events.dtend AS dtend, Events.duration AS duration, Events.eventTimezone AS eventTimezone,
    Events.eventEndTimezone AS eventEndTimezone, Events.allDay AS allDay,
    Events.accessLevel AS accessLevel, Events.availability AS availability,
    Events.hasAlarm AS hasAlarm, Events.hasExtendedProperties AS hasExtendedProperties,
    Events.rrule AS rrule, Events.rdate AS rdate, Events.exrule AS exrule, Events.exdate AS exdate,
    Events.original_id AS original_id, Events.original_sync_id AS original_sync_id,
    Events.originalInstanceTime AS originalInstanceTime, Events.originalAllDay AS originalAllDay,
    Events.lastDate AS lastDate, Events.hasAttendeeData AS hasAttendeeData,
    Events.calendar_id AS calendar_id, Events.guestsCanInviteOthers AS guestsCanInviteOthers,
    Events.guestsCanModify AS guestsCanModify, Events.guestsCanSeeGuests AS guestsCanSeeGuests,
    Events.organizer AS organizer, Events.isOrganizer AS isOrganizer,
    Events.customAppPackage AS customAppPackage, Events.customAppUri AS customAppUri,
    Events.uid2445 AS uid2445, Events.mutators AS mutators, Events.lastSynced AS lastSynced,
    Events.deleted AS deleted, Events._sync_id AS _sync_id, Events.dirty AS dirty,
    Calendars.account_name AS account_name, Calendars.account_type AS account_type,
    Calendars.calendar_timezone AS calendar_timezone,
    Calendars.calendar_displayName AS calendar_displayName,
    Calendars.calendar_location AS calendar_location, Calendars.visible AS visible,
    Calendars.calendar_color AS calendar_color,
    Calendars.calendar_color_index AS calendar_color_index,
    Calendars.calendar_access_level AS calendar_access_level,
    Calendars.maxReminders AS maxReminders, Calendars.allowedReminders AS allowedReminders,
    Calendars.allowedAttendeeTypes AS allowedAttendeeTypes,
    Calendars.allowedAvailability AS allowedAvailability,
    Calendars.canOrganizerRespond AS canOrganizerRespond,
    Calendars.canModifyTimeZone AS canModifyTimeZone,
    Calendars.canPartiallyUpdate AS canPartiallyUpdate, Calendars.sync_events AS sync_events,
    Calendars.ownerAccount AS ownerAccount, Calendars.isPrimary AS isPrimary,
    coalesce(eventColor, calendar_color) AS displayColor
    FROM Events JOIN Calendars ON Events.calendar_id = Calendars._id;
