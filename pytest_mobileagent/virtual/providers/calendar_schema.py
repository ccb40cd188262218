"""The tables and views of calendar.db."""

from __future__ import annotations

_SYNC = ", ".join(f"cal_sync{at} TEXT" for at in range(1, 11))
_DATA = ", ".join(f"sync_data{at} TEXT" for at in range(1, 11))
_EVENT = [
    "title",
    "description",
    "eventLocation",
    "eventColor",
    "eventColor_index",
    "eventStatus",
    "selfAttendeeStatus",
    "dtstart",
    "dtend",
    "duration",
    "eventTimezone",
    "eventEndTimezone",
    "allDay",
    "accessLevel",
    "availability",
    "hasAlarm",
    "hasExtendedProperties",
    "rrule",
    "rdate",
    "exrule",
    "exdate",
    "original_id",
    "original_sync_id",
    "originalInstanceTime",
    "originalAllDay",
    "lastDate",
    "hasAttendeeData",
    "calendar_id",
    "guestsCanInviteOthers",
    "guestsCanModify",
    "guestsCanSeeGuests",
    "organizer",
    "isOrganizer",
    "customAppPackage",
    "customAppUri",
    "uid2445",
    "mutators",
    "lastSynced",
]
_CALENDAR = [
    "account_name",
    "account_type",
    "calendar_timezone",
    "calendar_displayName",
    "calendar_location",
    "visible",
    "calendar_color",
    "calendar_color_index",
    "calendar_access_level",
    "maxReminders",
    "allowedReminders",
    "allowedAttendeeTypes",
    "allowedAvailability",
    "canOrganizerRespond",
    "canModifyTimeZone",
    "canPartiallyUpdate",
    "sync_events",
    "ownerAccount",
    "isPrimary",
]

SCHEMA = f"""
PRAGMA user_version = 600;
CREATE TABLE Calendars (_id INTEGER PRIMARY KEY, account_name TEXT, account_type TEXT,
    _sync_id TEXT, dirty INTEGER, mutators TEXT, name TEXT, calendar_displayName TEXT,
    calendar_color INTEGER, calendar_color_index TEXT, calendar_access_level INTEGER,
    visible INTEGER NOT NULL DEFAULT 1, sync_events INTEGER NOT NULL DEFAULT 0,
    calendar_location TEXT, calendar_timezone TEXT, ownerAccount TEXT, isPrimary INTEGER,
    canOrganizerRespond INTEGER NOT NULL DEFAULT 1, canModifyTimeZone INTEGER DEFAULT 1,
    canPartiallyUpdate INTEGER DEFAULT 0, maxReminders INTEGER DEFAULT 5,
    allowedReminders TEXT DEFAULT '0,1', allowedAvailability TEXT DEFAULT '0,1',
    allowedAttendeeTypes TEXT DEFAULT '0,1,2', deleted INTEGER NOT NULL DEFAULT 0, {_SYNC});
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
    customAppUri TEXT, uid2445 TEXT, {_DATA});
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
    {", ".join(f"Events.{column} AS {column}" for column in _EVENT)},
    Events.deleted AS deleted, Events._sync_id AS _sync_id, Events.dirty AS dirty,
    {", ".join(f"Calendars.{column} AS {column}" for column in _CALENDAR)},
    coalesce(eventColor, calendar_color) AS displayColor
    FROM Events JOIN Calendars ON Events.calendar_id = Calendars._id;
"""
