"""What the URIs of contacts mean."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_mobileagent.virtual.app.provider import Table

if TYPE_CHECKING:
    from collections.abc import Mapping

DIR, MIME = "vnd.android.cursor.dir/", "vnd.android.cursor.item/"
SORT = "sort_key COLLATE NOCASE"
PHONE, EMAIL, NAME = f"{MIME}phone_v2", f"{MIME}email_v2", f"{MIME}name"
NICKNAME, COMPANY = f"{MIME}nickname", f"{MIME}organization"
_PERSON = (
    "lookup display_name last_time_contacted times_contacted starred in_default_directory"
    " in_visible_group photo_id photo_file_id photo_uri photo_thumb_uri custom_ringtone"
    " has_phone_number send_to_voicemail"
)
LOOKUP_COLUMNS = (
    *("_id", "contact_id", "data_id"),
    *_PERSON.split(),
    *("number", "type", "label", "normalized_number"),
)
LOOKUP = (
    "(SELECT people._id AS _id, people._id AS contact_id, phone_lookup.data_id AS data_id, "
    + ", ".join(f"people.{column} AS {column}" for column in _PERSON.split())
    + ", data.data1 AS number, data.data2 AS type, data.data3 AS label,"
    " data.data4 AS normalized_number, min_match"
    " FROM phone_lookup JOIN data ON data._id = phone_lookup.data_id"
    " JOIN raw_contacts ON raw_contacts._id = data.raw_contact_id"
    " JOIN view_contacts AS people ON people._id = raw_contacts.contact_id)"
)
_PHONES = (
    "(SELECT _id, contact_id AS person, display_name AS name, display_name, data1 AS number,"
    " data2 AS type, data3 AS label, data4 AS number_key, is_primary AS isprimary, starred"
    " FROM view_data WHERE mimetype = '" + PHONE + "')"
)
_PEOPLE = (
    "(SELECT _id, display_name AS name, display_name, starred, 0 AS times_contacted,"
    " 0 AS last_time_contacted, custom_ringtone, send_to_voicemail FROM view_contacts)"
)


def _of(mime: str) -> str:
    return f"mimetype = '{mime}'"


TABLES: Mapping[str, Table] = {
    "contacts": Table("view_contacts", type=f"{DIR}contact"),
    "contacts/#": Table("view_contacts", "_id = ?", type=f"{MIME}contact"),
    "contacts/#/data": Table("view_data", "contact_id = ?", "data"),
    "contacts/lookup/*": Table("view_contacts", "lookup = ?", type=f"{MIME}contact"),
    "contacts/lookup/*/#": Table(
        "view_contacts", "(lookup = ? OR 1) AND _id = ?", type=f"{MIME}contact"
    ),
    "contacts/filter/*": Table("view_contacts", type=f"{DIR}contact", sort=SORT),
    "contacts/strequent": Table("view_contacts", "starred = 1", sort=SORT),
    "raw_contacts": Table("view_raw_contacts", "", "raw_contacts", f"{DIR}raw_contact"),
    "raw_contacts/#": Table("view_raw_contacts", "_id = ?", "raw_contacts", f"{MIME}raw_contact"),
    "raw_contacts/#/data": Table("view_data", "raw_contact_id = ?", "data"),
    "data": Table("view_data", "", "data", f"{DIR}data"),
    "data/#": Table("view_data", "_id = ?", "data"),
    "data/phones": Table("view_data", _of(PHONE), "data", f"{DIR}phone_v2"),
    "data/phones/#": Table("view_data", f"{_of(PHONE)} AND _id = ?", "data", PHONE),
    "data/phones/filter/*": Table(
        "view_data", f"{_of(PHONE)} AND display_name || data1 LIKE '%' || ? || '%'", sort=SORT
    ),
    "data/emails": Table("view_data", _of(EMAIL), "data", f"{DIR}email_v2"),
    "data/emails/#": Table("view_data", f"{_of(EMAIL)} AND _id = ?", "data", EMAIL),
    "data/emails/lookup/*": Table(
        "view_data", f"{_of(EMAIL)} AND data1 = ? COLLATE NOCASE", "data"
    ),
    "data/postals": Table("view_data", _of(f"{MIME}postal-address_v2"), "data"),
    "phone_lookup/*": Table(LOOKUP, columns=LOOKUP_COLUMNS),
    "groups": Table("view_groups", "", "groups", f"{DIR}group"),
    "groups/#": Table("view_groups", "_id = ?", "groups", f"{MIME}group"),
    "deleted_contacts": Table("deleted_contacts"),
    "settings": Table("settings"),
    "phones": Table(_PHONES, type=f"{DIR}phone"),
    "people": Table(_PEOPLE, type=f"{DIR}person"),
}
