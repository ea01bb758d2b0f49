"""Which regular expressions can need more than linear time: their automaton, and the loops in it that can read the
same text.

A backtracking matcher needs quadratic time or worse if a text can be divided between two loops in many ways, and
what follows them fails (Weber & Seidl 1991; Wüstholz et al. 2017). In the automaton that is a state `p`, a state `q`
behind it, and a text that leads from `p` to `p`, from `p` to `q` and from `q` to `q`. A search has one more loop:
over all positions at which a match may begin.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from re import _constants as sre  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]

_CHARACTERS = [*map(chr, range(128)), "\x85", "\xa0", "é", "ÿ", "中", "│", "\u2003", "٣", "“", "\ufeff"]
_END = len(_CHARACTERS)  # the end of the text, as what comes next
_START = _END + 1  # the begin of the text, as what came last
_EVERY = (1 << _END) - 1
_ANYTHING = (1 << (_START + 1)) - 1
_WITHOUT_BOUND = 5_000  # so many repetitions are as good as any number
_UNROLLED = 3
_MOST_STATES = 60_000  # that are looked at for one pair of loops
UNDECIDED = "undecided: too many states"

Mask = int


def _mask(accepts) -> Mask:
    return sum(1 << at for at, letter in enumerate(_CHARACTERS) if accepts(letter))


_WORD = _mask(lambda letter: letter.isalnum() or letter == "_")
_CATEGORIES = {
    sre.CATEGORY_DIGIT: _mask(str.isdecimal),
    sre.CATEGORY_SPACE: _mask(str.isspace),
    sre.CATEGORY_WORD: _WORD,
}
_CATEGORIES |= {
    sre.CATEGORY_NOT_DIGIT: _EVERY & ~_CATEGORIES[sre.CATEGORY_DIGIT],
    sre.CATEGORY_NOT_SPACE: _EVERY & ~_CATEGORIES[sre.CATEGORY_SPACE],
    sre.CATEGORY_NOT_WORD: _EVERY & ~_WORD,
}
_NEWLINE = 1 << _CHARACTERS.index("\n")


@dataclass(frozen=True)
class _Step:
    """A transition from one state to another: it reads a letter (`reads`), or none if the letters around it allow
    that (`before`, `after`).
    """

    to: int
    reads: Mask | None = None
    before: Mask = _ANYTHING
    after: Mask = _ANYTHING


@dataclass
class Automaton:
    """States with their transitions; `within[state]`: the atomic groups around it."""

    steps: list[list[_Step]] = field(default_factory=list)
    within: list[frozenset[int]] = field(default_factory=list)
    heads: set[int] = field(default_factory=set)
    accepts: int = -1
    _groups: int = 0

    def state(self, within: frozenset[int]) -> int:
        self.steps.append([])
        self.within.append(within)
        return len(self.steps) - 1

    def atomic(self) -> int:
        self._groups += 1
        return self._groups


class _Builder:
    def __init__(self, flags: int) -> None:
        self.automaton = Automaton()
        self.flags = flags

    def sequence(self, items, start: int, within: frozenset[int]) -> int:
        for op, argument in items:
            start = self.item(op, argument, start, within)
        return start

    def item(self, op, argument, start: int, within: frozenset[int]) -> int:
        letters = letters_of(op, argument, self.flags)
        if letters is not None:
            return self.over(start, within, reads=letters)
        if op is sre.SUBPATTERN:
            _, add, remove, inner = argument
            flags, self.flags = self.flags, (self.flags | add) & ~remove
            end = self.sequence(inner, start, within)
            self.flags = flags
            return end
        if op is sre.BRANCH:
            end = self.automaton.state(within)
            for branch in argument[1]:
                self.link(self.sequence(branch, self.over(start, within), within), end)
            return end
        if op in (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT):
            return self.repeat(op, argument, start, within)
        if op is sre.ATOMIC_GROUP:
            return self.atomic(argument, start, within)
        if op is sre.AT:
            return self.at(argument, start, within)
        if op in (sre.ASSERT, sre.ASSERT_NOT):
            return self.look(op, argument, start, within)
        if op is sre.GROUPREF:
            return self.over(start, within, reads=_EVERY)
        if op is sre.GROUPREF_EXISTS:
            _, yes, no = argument
            end = self.automaton.state(within)
            for branch in (yes, no or ()):
                self.link(self.sequence(branch, self.over(start, within), within), end)
            return end
        raise NotImplementedError(op)

    def over(self, start: int, within: frozenset[int], **step) -> int:
        end = self.automaton.state(within)
        self.automaton.steps[start].append(_Step(end, **step))
        return end

    def link(self, start: int, end: int, **step) -> None:
        self.automaton.steps[start].append(_Step(end, **step))

    def atomic(self, items, start: int, within: frozenset[int]) -> int:
        inside = within | {self.automaton.atomic()}
        begun = self.over(start, inside)
        ended = self.sequence(items, begun, inside)
        return self.over(ended, within)

    def repeat(self, op, argument, start: int, within: frozenset[int]) -> int:
        least, most, items = argument
        single = letters_of(*items[0], self.flags) if len(items) == 1 else None
        without_bound = most is sre.MAXREPEAT or most > _WITHOUT_BOUND
        if op is sre.POSSESSIVE_REPEAT and not (single is not None and without_bound):
            group = [(sre.MAX_REPEAT, argument)]
            return self.atomic(group, start, within)
        for _ in range(min(least, _UNROLLED)):
            start = self.sequence(items, start, within)
        if without_bound:
            head = self.over(start, within)
            self.automaton.heads.add(head)
            self.link(self.sequence(items, self.over(head, within), within), head)
            ends = _ANYTHING & ~single if op is sre.POSSESSIVE_REPEAT and single is not None else _ANYTHING
            return self.over(head, within, after=ends)
        end = self.automaton.state(within)
        self.link(start, end)
        for _ in range(min(most - least, _UNROLLED)):
            start = self.sequence(items, start, within)
            self.link(start, end)
        return end

    def at(self, where, start: int, within: frozenset[int]) -> int:
        first, last = 1 << _START, 1 << _END
        if where in (sre.AT_BEGINNING, sre.AT_BEGINNING_STRING):
            lines = where is sre.AT_BEGINNING and self.flags & sre.SRE_FLAG_MULTILINE
            return self.over(start, within, before=first | (_NEWLINE if lines else 0))
        if where in (sre.AT_END, sre.AT_END_STRING):
            return self.over(start, within, after=last | (_NEWLINE if where is sre.AT_END else 0))
        end = self.automaton.state(within)
        other = _ANYTHING & ~_WORD
        same = where is sre.AT_NON_BOUNDARY
        self.link(start, end, before=_WORD, after=_WORD if same else other)
        self.link(start, end, before=other, after=other if same else _WORD)
        return end

    def look(self, op, argument, start: int, within: frozenset[int]) -> int:
        direction, items = argument
        one = one_of(items, self.flags)
        if direction < 0:
            if one is not None:
                allowed = one if op is sre.ASSERT else _ANYTHING & ~one
                return self.over(start, within, before=allowed)
            return start
        inside = within | {self.automaton.atomic()}
        self.sequence(items, self.over(start, inside), inside)  # what it reads costs time, and leads nowhere
        if op is sre.ASSERT_NOT:
            return self.over(start, within, after=_ANYTHING & ~one) if one is not None else start
        return self.over(start, within, after=first_of(items, self.flags))


def letters_of(op, argument, flags: int) -> Mask | None:
    """The letters that an element for a single letter accepts; None for any other element."""
    if op is sre.LITERAL:
        return _letter(argument, flags)
    if op is sre.NOT_LITERAL:
        return _EVERY & ~_letter(argument, flags)
    if op is sre.ANY:
        return _EVERY if flags & sre.SRE_FLAG_DOTALL else _EVERY & ~_NEWLINE
    if op is not sre.IN:
        return None
    mask, negated = 0, False
    for kind, value in argument:
        if kind is sre.NEGATE:
            negated = True
        elif kind is sre.LITERAL:
            mask |= _letter(value, flags)
        elif kind is sre.RANGE:
            low, high = value
            mask |= _mask(lambda letter, low=low, high=high: low <= ord(letter) <= high)
            if flags & sre.SRE_FLAG_IGNORECASE:
                mask |= _mask(
                    lambda letter, low=low, high=high: any(low <= ord(one) <= high for one in letter.swapcase())
                )
        elif kind is sre.CATEGORY:
            mask |= _CATEGORIES[value]
    return _EVERY & ~mask if negated else mask


def _letter(code: int, flags: int) -> Mask:
    letters = {chr(code)}
    if flags & sre.SRE_FLAG_IGNORECASE:
        letters |= {chr(code).lower(), chr(code).upper()}
    return _mask(letters.__contains__)


def one_of(items, flags: int) -> Mask | None:
    """The letters of a lookaround that reads exactly one letter (or the start or end of the text); None for any
    other.
    """
    if len(items) != 1:
        return None
    op, argument = items[0]
    if op is sre.AT:
        return {sre.AT_BEGINNING: 1 << _START, sre.AT_END: 1 << _END | _NEWLINE}.get(argument)
    if op is sre.SUBPATTERN:
        return one_of(argument[3], flags)
    if op is sre.BRANCH:
        each = [one_of(branch, flags) for branch in argument[1]]
        return None if None in each else sum_of(each)
    return letters_of(op, argument, flags)


def sum_of(masks) -> Mask:
    whole = 0
    for mask in masks:
        whole |= mask
    return whole


def first_of(items, flags: int) -> Mask:
    """The letters with which a lookahead can begin."""
    if not items:
        return _ANYTHING
    op, argument = items[0]
    letters = letters_of(op, argument, flags)
    if letters is not None:
        return letters
    if op is sre.SUBPATTERN:
        return first_of(argument[3], flags)
    if op is sre.BRANCH:
        return sum_of(first_of(branch, flags) for branch in argument[1])
    if op is sre.AT and argument in (sre.AT_END, sre.AT_END_STRING):
        return 1 << _END | _NEWLINE
    if op in (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT) and argument[0] > 0:
        return first_of(argument[2], flags)
    return _ANYTHING


def automaton_of(regex: str, flags: int, *, searches: bool) -> Automaton:
    """The automaton of an expression; with `searches`, preceded by the loop over all positions."""
    tree = parser.parse(regex, flags)
    builder = _Builder(tree.state.flags)
    automaton, outside = builder.automaton, frozenset[int]()
    start = automaton.state(outside)
    if searches:
        builder.link(start, start, reads=_EVERY)
        automaton.heads.add(start)
    automaton.accepts = builder.sequence(tree, builder.over(start, outside), outside)
    return automaton


class _Search:
    """The search for two loops that can share one text."""

    def __init__(self, automaton: Automaton) -> None:
        self.automaton = automaton
        self.is_undecided = False
        self._read = self._letters()
        self._as_last = self._letters_before()
        self._after: dict[tuple[int, int], list[tuple[int, Mask]]] = {}
        self._moves: dict[tuple[int, int, int], tuple[int, ...]] = {}
        self._component = self._components()
        self._looped: dict[int, Mask] = defaultdict(int)
        for state, steps in enumerate(automaton.steps):
            for step in steps:
                if step.reads is not None and self._component[step.to] == self._component[state]:
                    self._looped[self._component[state]] |= step.reads
        self._reached: dict[tuple[int, Mask], set[int]] = {}

    def _letters(self) -> list[int]:
        """One letter of each class of letters that all transitions treat alike."""
        masks = {
            mask
            for steps in self.automaton.steps
            for step in steps
            for mask in (step.reads, step.before, step.after)
            if mask
        }
        seen: dict[tuple[bool, ...], int] = {}
        for at in range(_END):
            seen.setdefault(tuple(bool(mask >> at & 1) for mask in masks), at)
        return list(seen.values())

    def _letters_before(self) -> dict[int, int]:
        """Each letter, and its representative if only the last letter read matters."""
        masks = {step.before for steps in self.automaton.steps for step in steps}
        seen: dict[tuple[bool, ...], int] = {}
        return {at: seen.setdefault(tuple(bool(mask >> at & 1) for mask in masks), at) for at in self._read}

    def closure(self, state: int, last: int) -> list[tuple[int, Mask]]:
        """The states that can be reached after `last` without reading a letter, with the letters that may come next."""
        known = self._after.get((state, last))
        if known is not None:
            return known
        found: dict[int, Mask] = {}
        todo = [(state, _ANYTHING)]
        while todo:
            at, after = todo.pop()
            have = found.get(at, 0)
            if after | have == have:
                continue
            found[at] = have | after
            for step in self.automaton.steps[at]:
                if step.reads is None and step.before >> last & 1 and after & step.after:
                    todo.append((step.to, after & step.after))
        self._after[state, last] = list(found.items())
        return self._after[state, last]

    def moves(self, state: int, last: int, letter: int) -> tuple[int, ...]:
        """The states after reading `letter` when the previous letter was `last`."""
        key = state, last, letter
        known = self._moves.get(key)
        if known is None:
            known = self._moves[key] = tuple(
                {
                    step.to
                    for at, after in self.closure(state, last)
                    if after >> letter & 1
                    for step in self.automaton.steps[at]
                    if step.reads is not None and step.reads >> letter & 1
                }
            )
        return known

    def _components(self) -> list[int]:
        """The strongly connected component of each state, by Tarjan."""
        steps = self.automaton.steps
        count = len(steps)
        index, low, on, component = [-1] * count, [0] * count, [False] * count, [-1] * count
        stack: list[int] = []
        counter = [0, 0]
        for root in range(count):
            if index[root] >= 0:
                continue
            work = [(root, 0)]
            while work:
                node, child = work.pop()
                if child == 0:
                    index[node] = low[node] = counter[0]
                    counter[0] += 1
                    stack.append(node)
                    on[node] = True
                again = False
                for at in range(child, len(steps[node])):
                    to = steps[node][at].to
                    if index[to] < 0:
                        work.append((node, at + 1))
                        work.append((to, 0))
                        again = True
                        break
                    if on[to]:
                        low[node] = min(low[node], index[to])
                if again:
                    continue
                if low[node] == index[node]:
                    while True:
                        member = stack.pop()
                        on[member] = False
                        component[member] = counter[1]
                        if member == node:
                            break
                    counter[1] += 1
                if work:
                    parent = work[-1][0]
                    low[parent] = min(low[parent], low[node])
        return component

    def loops(self) -> list[int]:
        """States reached by reading a letter from which a repetition begins again."""
        into = {step.to for steps in self.automaton.steps for step in steps if step.reads is not None}
        members: dict[int, set[int]] = {}
        for state, component in enumerate(self._component):
            members.setdefault(component, set()).add(state)
        cyclic = {
            component
            for component, states in members.items()
            if len(states) > 1 or any(step.to in states for state in states for step in self.automaton.steps[state])
        }
        heads = self.automaton.heads
        return [
            state
            for state in sorted(into)
            if self._component[state] in cyclic
            and any(at in heads and self._component[at] == self._component[state] for at, _ in self._empty(state))
        ]

    def _empty(self, state: int) -> list[tuple[int, Mask]]:
        """The states that can be reached from `state` without reading a letter, whatever the letters around it."""
        found, todo = {state}, [state]
        while todo:
            for step in self.automaton.steps[todo.pop()]:
                if step.reads is None and step.to not in found:
                    found.add(step.to)
                    todo.append(step.to)
        return [(at, _ANYTHING) for at in found]

    def ends_here(self, state: int) -> bool:
        """Whether the whole expression matches in `state`, whatever follows: no backtracking happens after it."""
        found = dict(self.closure(state, _START))
        return found.get(self.automaton.accepts, 0) == _ANYTHING

    def shared(self) -> Iterator[tuple[int, int, str]]:
        """Each pair of loops that share a text, with that text."""
        loops = self.loops()
        for first in loops:
            yield from self._from(first, [loop for loop in loops if not self.ends_here(loop)])

    def _from(self, first: int, ends: Sequence[int]) -> Iterator[tuple[int, int, str]]:
        component, within = self._component, self.automaton.within
        for second in ends:
            if second == first or not self._reaches(first, second):
                continue
            text = self._text(first, second, component[first], component[second], within[first])
            if text is not None:
                yield first, second, text
        text = self._twice(first)
        if text is not None:
            yield first, first, text

    def _common(self, first: int, second: int) -> Mask:
        """The letters that both loops read."""
        return self._looped[self._component[first]] & self._looped[self._component[second]]

    def _reaches(self, first: int, second: int) -> bool:
        """Whether a path leads from one loop to the other over letters that both read. Ignores conditions on
        surrounding letters.
        """
        common = self._common(first, second)
        if not common:
            return False
        key = first, common
        if key not in self._reached:
            seen, todo = {first}, [first]
            while todo:
                for step in self.automaton.steps[todo.pop()]:
                    if step.to not in seen and (step.reads is None or step.reads & common):
                        seen.add(step.to)
                        todo.append(step.to)
            self._reached[key] = seen
        return second in self._reached[key]

    def _text(self, first: int, second: int, of_first: int, of_second: int, atomic: frozenset[int]) -> str | None:
        component, within = self._component, self.automaton.within
        common = self._common(first, second)
        letters = [letter for letter in self._read if common >> letter & 1]
        for letter in dict.fromkeys(self._as_last[letter] for letter in letters):
            begin = (first, first, second, letter)
            came: dict[tuple[int, int, int, int], tuple[tuple[int, int, int, int], int] | None] = {begin: None}
            todo = deque([begin])
            while todo:
                node = todo.popleft()
                one, two, three, last = node
                for read in letters:
                    ones = [to for to in self.moves(one, last, read) if component[to] == of_first]
                    if not ones:
                        continue
                    threes = [to for to in self.moves(three, last, read) if component[to] == of_second]
                    if not threes:
                        continue
                    twos = [to for to in self.moves(two, last, read) if atomic <= within[to]]
                    for to_two in twos:
                        for to_one in ones:
                            for to_three in threes:
                                to = (to_one, to_two, to_three, self._as_last[read])
                                if to in came:
                                    continue
                                came[to] = (node, read)
                                if (
                                    self._as_last[read] == letter
                                    and to_one == first
                                    and to_two == second
                                    and to_three == second
                                ):
                                    return self._spelled(came, to)
                                todo.append(to)
                if len(came) > _MOST_STATES:
                    self.is_undecided = True
                    return None
        return None

    def _spelled(self, came, to) -> str:
        letters = []
        while came[to] is not None:
            to, read = came[to]
            letters.append(_CHARACTERS[read])
        return "".join(reversed(letters))

    def _twice(self, first: int) -> str | None:
        """A text that leads from a state to itself on two different paths, which makes matching exponential."""
        component, of = self._component, self._component[first]
        looped = self._looped[of]
        letters = [letter for letter in self._read if looped >> letter & 1]
        for letter in dict.fromkeys(self._as_last[letter] for letter in letters):
            begin = (first, first, False, letter)
            came = {begin}
            todo = deque([(begin, "")])
            while todo:
                (one, two, parted, last), text = todo.popleft()
                for read in letters:
                    ones = [to for to in self.moves(one, last, read) if component[to] == of]
                    twos = [to for to in self.moves(two, last, read) if component[to] == of]
                    for to_one in ones:
                        for to_two in twos:
                            is_parted = parted or to_one != to_two
                            if is_parted and self._as_last[read] == letter and to_one == first == to_two:
                                return text + _CHARACTERS[read]
                            to = (to_one, to_two, is_parted, self._as_last[read])
                            if to not in came:
                                came.add(to)
                                todo.append((to, text + _CHARACTERS[read]))
                if len(came) > _MOST_STATES:
                    self.is_undecided = True
                    return None
        return None


def offence(regex: str, flags: int = 0, *, searches: bool) -> str | None:
    """A text that, repeated, makes `regex` need more than linear time; None if the expression is linear; `UNDECIDED`
    if it has too many states.
    """
    search = _Search(automaton_of(regex, flags, searches=searches))
    text = next((text for _, _, text in search.shared()), None)
    return UNDECIDED if text is None and search.is_undecided else text
