"""Mutants of a C header: each is one small wrong edit inside one function."""
import collections
import dataclasses
import re

TOKEN = re.compile(r'''(?P<skip>\s+|/\*.*?\*/|//[^\n]*|^[ \t]*\#[^\n]*)
    |(?P<text>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')
    |(?P<number>\b(?:0x[0-9a-fA-F]+|\d+)[uUlL]*\b)
    |(?P<word>[A-Za-z_]\w*)
    |(?P<sign>->|\+\+|--|<<=|>>=|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|.)''',
    re.VERBOSE | re.DOTALL | re.MULTILINE)

INSTEAD = {
    '<': ['<=', '>='], '<=': ['<', '>'], '>': ['>=', '<='], '>=': ['>', '<'],
    '==': ['!='], '!=': ['=='], '+': ['-'], '-': ['+'], '*': ['/'], '/': ['*'],
    '%': ['/', '*'], '<<': ['>>'], '>>': ['<<'], '&': ['|'], '|': ['&'], '^': ['&', '|'],
    '+=': ['-='], '-=': ['+='], '^=': ['|=', '&='], '++': ['--'], '--': ['++'],
    'true': ['false'], 'false': ['true']}

# Fields that are easily taken for one another.
FIELDS = {}
for names in ('m n', 'rows cols', 'block_m block_n', 'cluster_m cluster_n',
        'cluster_rows cluster_cols', 'width last_width panel', 'items remap_span local_items',
        'domains queue_domains workers', 'remap_domains remap_chunk', 'k_begin k_end',
        'id domain turn', 'stage parity', 'max_cluster cluster_m', 'first size', 'workers items'):
    for name in names.split():
        FIELDS.setdefault(name, []).extend(n for n in names.split() if n != name)

DIVISORS = ['p->' + name for name in
    ('panel', 'width', 'last_width', 'remap_domains', 'remap_chunk', 'slots')]

TYPES = {'char', 'void', 'bool', 'uint8_t', 'uint32_t', 'uint64_t', 'int64_t', 'int', 'const',
    'struct', 'enum', 'static', 'inline', 'return', 'case', 'if', 'while', 'for', 'switch', 'else'}
ASSIGNS = {'=', '+=', '-=', '*=', '/=', '%=', '&=', '|=', '^=', '<<=', '>>=', '++', '--'}


def one_line(text):
    """Without comments and line breaks."""
    return re.sub(r' (?=[);])', '', ' '.join(re.sub(r'/\*.*?\*/', '', text, flags=re.S).split()))


@dataclasses.dataclass(frozen=True)
class Token:
    kind: str
    text: str
    start: int
    end: int


@dataclasses.dataclass(frozen=True)
class Mutant:
    header: str
    function: str
    rule: str
    before: str  # the lines that the edit touches, in one
    after: str
    text: str    # of the whole header

    def key(self):
        return f'{self.header} {self.function}: {self.before} => {self.after}'


class Header:
    def __init__(self, name, text):
        self.name = name
        self.text = text
        self.tokens = [Token(m.lastgroup, m.group(), m.start(), m.end())
            for m in TOKEN.finditer(text) if m.lastgroup != 'skip']
        self.match = self.pairs()
        self.mutants = {}
        self.seen = collections.Counter()  # the same edit of the same line, further down

    def pairs(self):
        """The index of each bracket's partner."""
        match, stack = {}, []
        for i, token in enumerate(self.tokens):
            if token.text in '([{' and token.kind == 'sign':
                stack.append(i)
            elif token.text in ')]}' and token.kind == 'sign':
                match[i] = stack.pop()
                match[match[i]] = i
        return match

    def functions(self):
        """(name, index of the opening brace, of the closing one)."""
        i = 0
        while i < len(self.tokens):
            if self.at(i) == '{':
                if self.at(i - 1) == ')':
                    yield self.at(self.match[i - 1] - 1), i, self.match[i]
                i = self.match[i]
            i += 1

    def at(self, i):
        return self.tokens[i].text

    def span(self, first, last):
        """The source of tokens first..last."""
        return self.text[self.tokens[first].start:self.tokens[last].end]

    def edge(self, i, step, stops):
        """From token i in direction `step`: the last token in front of a bracket that closes around
        it or of one of `stops`."""
        opening, closing = ('([{', ')]}') if step > 0 else (')]}', '([{')
        while True:
            i += step
            text = self.at(i)
            if text in closing or text in stops:
                return i - step
            if text in opening:
                i = self.match[i]

    def add(self, function, rule, first, last, new):
        """The mutant with `new` in place of tokens first..last."""
        start, end = self.tokens[first].start, self.tokens[last].end
        # The same number of lines keeps line numbers, and so the code of asserts.
        new += '\n' * (self.text.count('\n', start, end) - new.count('\n'))
        text = self.text[:start] + new + self.text[end:]
        line = self.text.rfind('\n', 0, start) + 1
        tail = self.text.find('\n', end)
        before = one_line(self.text[line:tail])
        after = one_line(self.text[line:start] + new + self.text[end:tail])
        if before != after and text not in self.mutants:
            edit = (function, before, after)
            self.seen[edit] += 1
            if self.seen[edit] > 1:
                before += f' (no. {self.seen[edit]})'
            self.mutants[text] = Mutant(self.name, function, rule, before, after, text)

    def all(self):
        for name, first, last in self.functions():
            for i in range(first + 1, last):
                self.at_token(name, i)
            self.returns(name, first, last)
        return list(self.mutants.values())

    def is_binary(self, i):
        before = self.tokens[i - 1]
        if before.text == ')':
            opener = self.match[i - 1]
            cast = self.at(opener + 1) in TYPES
            return self.at(opener - 1) not in ('if', 'while', 'for', 'switch') and not cast
        if before.kind == 'word':
            return before.text not in TYPES and self.at(i - 2) not in ('struct', 'enum')
        return before.kind == 'number' or before.text == ']'

    def at_token(self, name, i):
        token = self.tokens[i]
        text = token.text
        if token.kind == 'number':
            self.number(name, i)
        elif text in INSTEAD and (text not in '+-*&' or self.is_binary(i)):
            for new in INSTEAD[text]:
                self.add(name, text, i, i, new)
        elif text in ('&&', '||'):
            self.junction(name, i)
        elif text == '?':
            self.choice(name, i)
        elif text == '!':
            self.add(name, '!', i, i, '')
        elif text in ('if', 'while'):
            for new in ('false', 'true') if text == 'if' else ('false',):
                self.add(name, text, i + 2, self.match[i + 1] - 1, new)
        elif text == 'uint64_t' and self.at(i - 1) == '(' and self.at(i + 1) == ')':
            self.add(name, 'cast', i - 1, i + 1, '')
        elif text in FIELDS and self.at(i - 1) in ('->', '.'):
            for new in FIELDS[text]:
                self.add(name, 'field', i, i, new)
        elif text in ('ts_quotient', 'ts_share', 'ts_share_first') and self.at(i + 1) == '(':
            self.divisor(name, i + 1)
        if self.at(i - 1) in ';{}:)' and (token.kind == 'word' or text == '*'):
            self.statement(name, i)

    def number(self, name, i):
        digits, suffix = re.fullmatch(r'(0x[0-9a-fA-F]+|\d+)(\w*)', self.at(i)).groups()
        value = int(digits, 0)
        for new in (value + 1, value - 1):
            if new >= 0:
                self.add(name, 'constant', i, i, f'{new}{suffix}')

    def junction(self, name, i):
        """a && b: a || b, a, b. Brackets, because compilers warn of a mixture without them."""
        stops = ('&&', '||', '?', ':', ';', ',', '=', 'return')
        if self.at(i) == '||':
            stops = stops[1:]
        first, last = self.edge(i, -1, stops), self.edge(i, 1, stops)
        left, right = self.span(first, i - 1), self.span(i + 1, last)
        other = '||' if self.at(i) == '&&' else '&&'
        self.add(name, self.at(i), first, last, f'({left} {other} {right})')
        self.add(name, 'operand', first, last, left)
        self.add(name, 'operand', first, last, right)

    def choice(self, name, i):
        """a ? b : c: true ? b : c, false ? b : c, a ? c : b."""
        stops = (';', ',', '=', '+=', '-=', 'return')
        first = self.edge(i, -1, stops)
        colon = self.edge(i, 1, (':',)) + 1
        last = self.edge(colon, 1, stops)
        yes, no = self.span(i + 1, colon - 1), self.span(colon + 1, last)
        for new in ('true', 'false'):
            self.add(name, '?:', first, i - 1, new)
        self.add(name, '?:', i + 1, last, f'{no} : {yes}')

    def divisor(self, name, opener):
        """Another divisor of the plan as the second argument."""
        first = self.edge(opener, 1, (',',)) + 2
        last = self.edge(first - 1, 1, (',',))
        for new in DIVISORS if self.name != 'policy.h' else ():
            self.add(name, 'divisor', first, last, new)

    def statement(self, name, i):
        """Without an assignment, an increment or a call of nothing else."""
        if self.at(i) in TYPES or self.tokens[i + 1].kind == 'word':
            return
        if self.at(i - 1) == ')' and self.at(self.match[i - 1] - 1) not in ('if', 'while'):
            return
        last = self.edge(i, 1, (';',))
        if any(self.at(k) in ASSIGNS for k in range(i, last + 1)):
            self.add(name, 'deleted', i, last + 1, '{}')

    def returns(self, name, first, last):
        """Each return answers what the next different one does."""
        found = [(i + 1, self.edge(i, 1, (';',))) for i in range(first, last)
            if self.at(i) == 'return' and self.at(i + 1) != ';']
        texts = [self.span(*place) for place in found]
        for at, place in enumerate(found):
            others = [t for t in texts[at + 1:] + texts[:at] if t != texts[at]]
            if others:
                self.add(name, 'return', *place, others[0])


def mutants(name, text):
    return Header(name, text).all()
