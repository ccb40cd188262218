"""Broccoli: recipes that are added and deleted, among others."""

from pytest_mobileagent import open_app, press, scroll, tap, type_text

from ._registry import solves

OPEN = open_app("com.flauschcode.broccoli")
FIELDS = {
    "title": "new_title",
    "description": "new_description",
    "servings": "new_servings",
    "preparationTime": "new_preparation_time",
    "ingredients": "new_ingredients",
    "directions": "new_directions",
}
BELOW = ("preparationTime", "ingredients", "directions")  # where the keyboard is
DELETE = [tap(content_desc="More options"), tap(text="Delete"), tap(text="DELETE")]


def titles(rows):
    """Return titles in the order of the list."""
    return sorted((row["title"] for row in rows), key=str.lower)


def card(title):
    return {"resource_id": "card_text_view_title", "text": title}


def shown(title):
    return scroll("up", until=card(title))


@solves(
    "RecipeAddSingleRecipe",
    "RecipeAddMultipleRecipes",
    "RecipeAddMultipleRecipesFromMarkor",
    "RecipeAddMultipleRecipesFromMarkor2",
    "RecipeAddMultipleRecipesFromImage",
)
def add(params):
    moves = [OPEN]
    for row in params["row_objects"]:
        moves.append(tap(resource_id="fab_recipes"))
        for name, field in FIELDS.items():
            if name in BELOW:
                moves += [press("back"), scroll("up", until={"resource_id": field})]
            moves.append(type_text(row[name], resource_id=field))
        moves += [tap(resource_id="button_save_recipe"), tap(content_desc="Navigate up")]
    return moves[:-1]


@solves(
    "RecipeDeleteSingleRecipe",
    "RecipeDeleteSingleWithRecipeWithNoise",
    "RecipeDeleteMultipleRecipes",
    "RecipeDeleteMultipleRecipesWithNoise",
    "RecipeDeleteMultipleRecipesWithConstraint",
)
def delete(params):
    moves = [OPEN]
    for title in titles(params["row_objects"]):
        moves += [shown(title), tap(**card(title)), *DELETE]
    return moves


@solves(
    "RecipeDeleteDuplicateRecipes",
    "RecipeDeleteDuplicateRecipes2",
    "RecipeDeleteDuplicateRecipes3",
)
def deduplicate(params):
    """Delete the last recipe of the title, whose row is the newest: it is one of the two."""
    title = params["row_objects"][0]["title"]
    later = [each for each in titles(params["noise_row_objects"]) if each.lower() > title.lower()]
    beyond = later[0] if later else "there is no such recipe"
    return [OPEN, shown(title), shown(beyond), tap(nth=-1, **card(title)), *DELETE]
