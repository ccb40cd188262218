"""The explorer, which finds the pages of an app, so that `mobileagent graph` can merge them.

It uses no model. In breadth-first order, it goes to the page nearest to the app's first one that
has untried actions, and tries one of them; its other order is a random walk. What it tries is
balanced over the kinds of actions: taps, long presses, scrolling, typing, and the back key. It
returns whenever it has left the app, and never touches anything that might cost money, lose data,
reach other people or sign out (`AVOIDED`).

It remembers what it has tried within an episode. Epochs have different seeds, which determine the
order in which a page's actions are tried; and it starts from a page reached by a random walk.
"""

from __future__ import annotations

import random
import re
from collections import Counter, deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from pytest_mobileagent import (
    Action,
    Agent,
    Element,
    Finish,
    Key,
    LongPress,
    Open,
    Reply,
    Screen,
    Scroll,
    Tap,
    Type,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pytest_mobileagent import Briefing, Observation

# Words of elements that are not touched: whole words in languages with spaces, else parts.
AVOIDED = """
    pay, payment, buy, purchase, checkout, check out, order, donate, subscribe, top up, transfer,
    delete, remove, erase, clear, uninstall, reset, discard, empty, format, trash,
    send, post, publish, share, submit, reply, call, dial, invite, report, block,
    sign out, log out, logout, deactivate, close account, emergency, sos, power off, restart,
    bezahlen, kaufen, bestellen, spenden, abonnieren, überweisen, löschen, entfernen, leeren,
    zurücksetzen, verwerfen, senden, veröffentlichen, teilen, absenden, antworten, anrufen,
    einladen, melden, abmelden,
    payer, acheter, commander, donner, abonner, virement, supprimer, effacer, vider, réinitialiser,
    envoyer, publier, partager, répondre, appeler, inviter, signaler, déconnexion, se déconnecter,
    pagar, comprar, pedir, donar, suscribirse, transferir, eliminar, borrar, quitar, vaciar,
    restablecer, descartar, enviar, publicar, compartir, responder, llamar, invitar, denunciar,
    cerrar sesión, apagar, excluir, remover, limpar, assinar, compartilhar, ligar, sair,
    оплатить, купить, заказать, перевести, удалить, очистить, сбросить, отправить, опубликовать,
    поделиться, ответить, позвонить, пригласить, выйти,
    支付, 付款, 购买, 下单, 结算, 充值, 转账, 捐, 订阅, 删除, 移除, 清除, 清空, 卸载, 重置, 放弃,
    发送, 发布, 分享, 提交, 回复, 拨打, 呼叫, 邀请, 举报, 拉黑, 退出登录, 登出, 注销, 关机,
    支払, 購入, 注文, 寄付, 送金, 削除, 消去, リセット, 送信, 投稿, 公開, 共有, 返信, 発信, 招待,
    ログアウト, サインアウト,
    결제, 구매, 주문, 송금, 삭제, 제거, 초기화, 보내기, 전송, 게시, 공유, 답장, 전화, 초대,
    로그아웃, ادفع, الدفع, شراء, اشتر, تحويل, حذف, إزالة, مسح, إعادة تعيين, إرسال, نشر, مشاركة,
    اتصال, دعوة, تسجيل الخروج,
    भुगतान, खरीद, ऑर्डर, हटाएं, मिटाएं, रीसेट, भेजें, पोस्ट करें, शेयर, साझा, जवाब, कॉल, साइन आउट,
    लॉग आउट
"""
_WORDS = re.compile(r"[^\W\d_]+")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])|_")
_SEARCH = re.compile("search|query|find|搜索|検索|검색|suche|busca|recherche|поиск|بحث|खोज")
_LEFT_RIGHT: Sequence[Literal["left", "right"]] = ("left", "right")
_UP_DOWN: Sequence[Literal["up", "down"]] = ("up", "down")
_ACROSS = ("HorizontalScrollView", "ViewPager", "ViewPager2", "SeekBar")
_ALIKE = 3  # how many elements of one class and id on a page, such as rows of a list, are tried
_STUCK = 25  # maximum number of times that it goes back to look for pages without a known path
_SPACED = "\u0590"  # scripts before it use spaces; in others, words are matched as parts
_FIRST_WALKS = (0, 4, 8, 12, 16)  # steps


@dataclass(slots=True)
class Found:
    """A page: the untried actions on it, and where the tried ones have led."""

    depth: int
    activity: str
    untried: list[tuple[str, Action]]
    leads: dict[Action, str] = field(default_factory=dict)


class Explorer(Agent):
    """Explores the pages of an app."""

    class Options:
        """The explorer's options.

        - `order`: "breadth-first", or a "random" walk.
        - `avoid`: more words of elements that it does not touch, separated by commas.
        - `texts`: texts that it types, separated by commas; by default words that it has seen.
        """

        order: Literal["breadth-first", "random"] = "breadth-first"
        avoid: str = ""
        texts: str = ""

    def start(self, briefing: Briefing) -> None:
        self._options = briefing.options or self.Options()
        self._apps = briefing.apps
        self._random = random.Random(briefing.seed)
        self._avoided = _Avoided(AVOIDED, self._options.avoid)
        self._texts = [t for each in self._options.texts.split(",") if (t := each.strip())]
        self._walk = self._random.choice(_FIRST_WALKS)
        self._found: dict[str, Found] = {}
        self._roots: set[str] = set()  # activities from which the back key leaves the app
        self._kinds: Counter[str] = Counter()
        self._before: tuple[str, Action] | None = None
        self._away = self._stuck = 0

    def step(self, observation: Observation) -> Action | Reply:
        screen = observation.screen
        if screen.package not in self._apps:
            return self._come_back()
        self._away = 0
        here = self._arrive(screen, failed=bool(observation.failure))
        action = self._next(here)
        self._walk -= 1
        if action is None:
            tried = sum(len(page.leads) for page in self._found.values())
            return Finish(f"{len(self._found)} pages, {tried} actions")
        self._before = here, action
        return Reply(action, f"{len(self._found)} pages found")

    def _come_back(self) -> Action:
        """Return an action that leads back into the app: the back key, or opening it if that fails.

        The action that led out of it is not tried again, nor the back key on pages of such an
        activity.
        """
        left_by = None
        if self._before is not None:
            page, left_by = self._before
            self._found[page].leads[left_by] = ""
            if left_by == Key("back"):
                self._roots.add(self._found[page].activity)
            self._before = None
        self._away += 1
        if not self._found or left_by == Key("back") or self._away > 1:
            self._away = 0
            return Open(self._apps[0])
        return Key("back")

    def _arrive(self, screen: Screen, *, failed: bool) -> str:
        """Return the page that is shown, and record the action that led to it."""
        here = _name(screen)
        depth = 1 if self._found else 0
        if self._before is not None:
            page, action = self._before
            depth = self._found[page].depth + 1
            self._found[page].leads[action] = page if failed else here
        if here not in self._found:
            untried = list(self._candidates(screen, depth))
            self._random.shuffle(untried)
            self._found[here] = Found(depth, screen.activity, untried)
        elif self._before is not None:
            self._found[here].depth = min(depth, self._found[here].depth)
        return here

    def _next(self, here: str) -> Action | None:
        """Return what to do on a page; None if everything reachable has been tried."""
        page = self._found[here]
        if self._options.order == "random" or self._walk > 0:
            known = [each for each, target in page.leads.items() if target]
            if page.untried and (not known or self._random.random() < 0.7):
                return self._try(page)
            return self._random.choice(known) if known else self._on_the_way(here)
        return self._on_the_way(here)

    def _try(self, page: Found) -> Action:
        """Return an untried action, of the kind that was tried least so far."""
        if page.activity in self._roots and len(page.untried) > 1:
            page.untried = [each for each in page.untried if each[0] != "back"]
        kind, action = min(page.untried, key=lambda each: self._kinds[each[0]])
        page.untried.remove((kind, action))
        self._kinds[kind] += 1
        return action

    def _on_the_way(self, here: str) -> Action | None:
        """Return the first step towards the untried page that is nearest to the first page."""
        ways = self._ways(here)
        open_pages = [name for name in ways if self._found[name].untried]
        if not open_pages:
            self._stuck += 1
            left = any(page.untried for page in self._found.values())
            return Key("back") if left and self._stuck < _STUCK else None
        nearest = min(open_pages, key=lambda name: (self._found[name].depth, len(ways[name])))
        return ways[nearest][0] if ways[nearest] else self._try(self._found[nearest])

    def _ways(self, here: str) -> dict[str, list[Action]]:
        """Return the shortest known path to each page that is reachable from this one."""
        ways: dict[str, list[Action]] = {here: []}
        pending = deque([here])
        while pending:
            page = pending.popleft()
            for action, target in self._found[page].leads.items():
                if target and target not in ways:
                    ways[target] = [*ways[page], action]
                    pending.append(target)
        return ways

    def _candidates(self, screen: Screen, depth: int) -> Iterator[tuple[str, Action]]:
        """Yield the actions that can be tried on a screen, each with its kind."""
        if depth and screen.activity not in self._roots:
            yield "back", Key("back")
        counts: Counter[tuple[str, str]] = Counter()
        for element in screen.elements:
            x, y = element.bounds.center
            inside = 0 <= x < screen.size[0] and 0 <= y < screen.size[1]
            if not (inside and element.enabled and element.package in {*self._apps, ""}):
                continue
            if element.scrollable:
                across = element.class_name.endswith(_ACROSS)
                for direction in _LEFT_RIGHT if across else _UP_DOWN:
                    yield "scroll", Scroll(direction, at=(x, y))
            if (element.clickable or element.long_clickable) and not self._avoided.holds(element):
                counts[element.class_name, element.resource_id] += 1
                if counts[element.class_name, element.resource_id] <= self._most(element):
                    yield from self._touches(element, screen)

    def _most(self, element: Element) -> int:
        """Return how many elements of this kind are tried on a page; without an id, all are."""
        return _ALIKE if element.resource_id else 1_000

    def _touches(self, element: Element, screen: Screen) -> Iterator[tuple[str, Action]]:
        x, y = element.bounds.center
        if element.class_name.endswith("EditText") and not element.password:
            enter = bool(_SEARCH.search(f"{element.resource_id} {element.label}".lower()))
            yield "type", Type(self._text(screen), at=(x, y), clear=True, enter=enter)
        if element.clickable:
            yield "tap", Tap(x, y)
        if element.long_clickable:
            yield "long press", LongPress(x, y)

    def _text(self, screen: Screen) -> str:
        words = [w for t in screen.texts for w in _WORDS.findall(t) if len(w) > 3]
        return self._random.choice(self._texts or words or ["hello"])


class _Avoided:
    """The words of elements that are not touched."""

    def __init__(self, *lists: str) -> None:
        words = [w for each in lists for part in each.split(",") if (w := " ".join(part.split()))]
        spaced = [re.escape(w.lower()) for w in words if w < _SPACED]
        parts = [re.escape(w.lower()) for w in words if w >= _SPACED]
        self._pattern = re.compile(rf"\b(?:{'|'.join(spaced)})\b|{'|'.join(parts)}")

    def holds(self, element: Element) -> bool:
        """Return whether an element contains one of the words: as text, within it, or in its id."""
        name = element.resource_id.rpartition("/")[2]
        labels = [element.text, element.content_desc, *element.texts, _CAMEL.sub(" ", name)]
        return any(self._pattern.search(each.lower()) for each in labels if each)


def _name(screen: Screen) -> str:
    """Return the identity of a page while exploring: its elements, without numbers."""
    parts: Iterable[str] = (
        f"{e.class_name}|{e.resource_id}|{_without_numbers(e)}|{e.checked}|{e.selected}"
        for e in screen.elements
    )
    return "\n".join((screen.package, screen.activity, *parts))


def _without_numbers(element: Element) -> str:
    typed = element.class_name.endswith("EditText")
    return "" if typed else re.sub(r"\d+", "#", element.text or element.content_desc)
