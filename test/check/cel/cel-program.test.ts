import { describe, expect, test } from 'vitest'
import { type CelInput, readCel } from '../../../src/check/cel/cel-program.ts'
import { celBudget } from '../../../src/check/cel/cel-work.ts'

const self = new Map<string, CelInput>([
  ['a', 1n],
  ['half', 0.5],
  ['list', ['x', 'y', 'x']],
  ['numbers', [3n, 1n, 2n]],
  [
    'map',
    new Map<string, CelInput>([
      ['k', 'v'],
      ['n', 5n],
    ]),
  ],
  [
    'items',
    [
      new Map<string, CelInput>([
        ['name', 'one'],
        ['port', 80n],
      ]),
      new Map<string, CelInput>([['name', 'two']]),
    ],
  ],
  ['many', Array.from({ length: 5000 }, (_, index) => BigInt(index))],
  ['big', 'a'.repeat(1_000_000)],
])

function evaluate(expression: string): unknown {
  const reading = readCel(expression, ['self'])
  if ('problem' in reading) return `unread: ${reading.problem}`
  const result = reading.program.evaluate({ self })
  if (result.state === 'value') return result.value
  return result.state === 'unfinished' ? 'unfinished' : `${result.state}: ${result.reason}`
}

/** What is true in an API server. */
const holds: readonly string[] = [
  // the language
  'self.a == 1 && self.a == 1.0 && self.a < 1.5',
  'self.half + 0.5 == 1.0',
  'has(self.map.k) && !has(self.map.x)',
  '1 / 0 == 1 || true',
  '!(false && 1 / 0 == 1)',
  '[1, 2].exists(x, x / 0 == 1 || x == 2)',
  'self.list.filter(x, x == "x").size() == 2',
  'self.list.map(x, x + "!") == ["x!", "y!", "x!"]',
  'self.items.exists_one(i, has(i.port))',
  '"x" in self.list && "k" in self.map && !("z" in self.map)',
  'self.map.all(k, k.size() == 1)',
  '{"a": 1}["a"] == 1 && {"a": [1]}.a[0] == 1',
  'type(self.a) == int && type("a") == string',
  '"abc".matches("^[a-c]+$") && !"abc".matches("^b")',
  'duration("90m") > duration("1h") && timestamp("2024-01-01T00:00:00Z") < timestamp("2025-01-01T00:00:00Z")',
  'string(1) == "1" && int("5") == 5 && double("1.5") == 1.5',
  'self.many.map(x, x + 1).all(x, x > 0) && size(self.many.filter(x, x % 2 == 0)) == 2500',
  // optional values
  'self.?map.?k.orValue("") == "v" && self.?nothing.?k.orValue("none") == "none"',
  'self.?map.k == optional.of("v") && self.?nothing.k == optional.none()',
  'self[?"a"].hasValue() && !self.list[?7].hasValue() && self.map[?"k"].value() == "v"',
  'self.?nothing.or(self.?a).value() == 1',
  'self.?a.optMap(x, x + 1).value() == 2 && !self.?nothing.optMap(x, x + 1).hasValue()',
  'self.?map.optFlatMap(m, m.?k) == optional.of("v")',
  '[1, ?self.?nothing, ?self.?a] == [1, 1]',
  'optional.ofNonZeroValue("") == optional.none() && optional.ofNonZeroValue({"a": 1}).hasValue()',
  '"a?b.?c".size() == 6 && (self.a == 1 ? [1] : [2])[0] == 1',
  // macros
  'self.list.all(i, v, i < 3 && v != "z") && self.map.exists(k, v, k == "n" && v == 5)',
  'self.numbers.transformList(i, v, i + v) == [3, 2, 4] && self.map.transformMap(k, v, v == "v", k) == {"k": "k"}',
  // texts
  '"abc".replace("", "-") == "-a-b-c-" && "abc".replace("", "-", 2) == "-a-bc" && "aaa".replace("a", "b", 2) == "bba"',
  '"a,b,c".split(",", 2) == ["a", "b,c"] && ["a", "b"].join("-") == "a-b"',
  '"Hello".lowerAscii() == "hello" && "hello".indexOf("l") == 2 && "hello".substring(1, 3) == "el"',
  '"a b a".replace("a", "c") == "c b c" && " a ".trim() == "a" && "%s is %d".format(["x", 1]) == "x is 1"',
  '"abc123".find("[0-9]+") == "123" && "a1b22".findAll("[0-9]+") == ["1", "22"] && "x".find("y") == ""',
  // lists and sets
  '[1, 2, 2].isSorted() && !self.numbers.isSorted() && self.numbers.sum() == 6 && self.numbers.min() == 1',
  'self.numbers.max() == 3 && self.list.indexOf("x") == 0 && self.list.lastIndexOf("x") == 2',
  'sets.contains([1, 2], [1]) && sets.equivalent([1, 2], [2, 1, 1]) && !sets.intersects([1], [2])',
  'sets.contains(self.items, [{"name": "two"}])',
  // quantities
  'quantity("500m") == quantity("0.5") && quantity("1Gi").isGreaterThan(quantity("1G"))',
  'quantity("1k").add(quantity("500")).compareTo(quantity("1500")) == 0 && quantity("2").sub(1).asInteger() == 1',
  'isQuantity("1.5Gi") && !isQuantity("1.5 Gi") && !quantity("1m").isInteger() && quantity("-1").sign() == -1',
  'quantity("50k").asApproximateFloat() == 50000.0 && quantity("1e3") == quantity("1000")',
  // addresses
  'isIP("10.0.0.1") && !isIP("10.0.0.01") && ip("::1").family() == 6 && ip("127.0.0.1").isLoopback()',
  'cidr("10.0.0.0/8").containsIP("10.1.2.3") && !cidr("10.0.0.0/8").containsIP(ip("11.0.0.1"))',
  'cidr("10.0.0.0/8").containsCIDR("10.1.0.0/16") && cidr("10.1.2.3/8").masked() == cidr("10.0.0.0/8")',
  'cidr("fd00::/8").ip().family() == 6 && cidr("fd00::/8").prefixLength() == 8 && isCIDR("::/0") && !isCIDR("1.2.3.4")',
  'string(ip("2001:db8::0:1")) == "2001:db8::1" && ip.isCanonical("2001:db8::1") && !ip.isCanonical("2001:DB8::1")',
  'ip("224.0.0.1").isLinkLocalMulticast() && ip("fe80::1").isLinkLocalUnicast() && ip("8.8.8.8").isGlobalUnicast()',
  // URLs, formats, versions
  'isURL("https://a.example:443/b?c=d") && !isURL("../a") && url("https://a.example:443/b").getHostname() == "a.example"',
  'url("https://a.example:443/b").getPort() == "443" && url("https://[::1]:80/").getHostname() == "::1"',
  '!format.dns1123Label().validate("abc").hasValue() && format.named("dns1123Label").value().validate("A").hasValue()',
  'semver("1.2.3").isLessThan(semver("1.10.0")) && semver("1.0.0-rc.1").isLessThan(semver("1.0.0"))',
  'isSemver("1.2.3") && !isSemver("v1.2") && isSemver("v1.2", true) && semver("1.2.3").minor() == 2',
  // as cel-go does, and the library of JavaScript does not
  '"\u{1F600}x".charAt(1) == "x"',
  '"\u{1F600}x".charAt(2) == ""',
  '"a\u{1F600}b".substring(1, 2) == "\u{1F600}"',
  '"\u{1F600}x".indexOf("x") == 1',
  '"a\u{1F600}a".lastIndexOf("a") == 2',
  '"a\u{1F600}".split("") == ["a", "\u{1F600}"]',
  '"abc".indexOf("", 9) == 9 && "abc".indexOf("b", 3) == -1',
  'dyn(1) == dyn(1u) && dyn(1u) == dyn(1.0) && dyn(1u) in [dyn(1)]',
  'sets.contains([dyn(1u)], [dyn(1)]) && [dyn(1u)].indexOf(dyn(1)) == 0',
  '!(dyn([1]) in dyn({"a": 1}))',
  'bool("T") && !bool("False")',
  'int("+7") == 7',
  'double("-Inf") < 0.0',
  'string(1000000.0) == "1e+06" && string(0.1) == "0.1" && string(-0.0) == "-0"',
  'string(duration("90.5s")) == "90.5s"',
  'int(duration("1ms")) == 1000000',
  'timestamp(5) == timestamp("1970-01-01T00:00:05Z")',
  'timestamp("2024-02-29T23:59:59Z").getDate("UTC") == 29 && timestamp("2024-02-29T23:59:59Z").getDayOfWeek() == 4',
  'timestamp("2024-02-29T23:59:59Z").getHours("+02:00") == 1 && timestamp("2024-12-31T00:00:00Z").getDayOfYear("") == 365',
  'timestamp("2024-02-29T23:59:59.5Z").getMilliseconds("-03:30") == 500',
  '[1, 2].first().value() == 1 && ![].last().hasValue()',
  '[[1, [2]], [3]].flatten(2) == [1, 2, 3]',
  'dyn(quantity("1")) != dyn(1)',
  '{?"a": self.?a, "b": 1} == {"a": self.a, "b": 1}',
  '{?"a": self.?nothing} == {}',
  '{"x": 1, ?"y": optional.of(2), ?"z": optional.none()}.size() == 2',
]

/** What comes of others. */
const others: readonly (readonly [expression: string, expected: unknown])[] = [
  ['self.nothing', 'failed: there is no field nothing'],
  ['self.__proto__', 'failed: there is no field __proto__'],
  ['self.constructor', 'failed: there is no field constructor'],
  ['self.map["a" + "b"]', 'failed: a field is not there'],
  ['self.list.toString()', 'unread: it calls toString, which is not known here'],
  ['authorizer.group("").check("get")', 'unread: it asks who may do what (authorizer)'],
  ['self.a ==', 'unread: it cannot be read as CEL'],
  ['optional.none().value()', 'failed: optional.none() dereference'],
  ['quantity("x")', 'failed: the text is no quantity'],
  ['int("secret")', 'failed: a text cannot be converted'],
  ['int("")', 'failed: a text cannot be converted'],
  ['double("one")', 'failed: a text cannot be converted'],
  ['duration(1)', 'failed: an integer is no duration'],
  ['dyn(quantity("1")) == dyn(1)', "failed: found no matching overload for '_==_'"],
  ['"abc".charAt(4)', 'failed: index out of range'],
  ['timestamp(5).getHours("Europe/Berlin")', 'unknown: it depends on the time zones that the API server knows'],
  ['self.a + "x"', "failed: found no matching overload for '_+_' applied to '(int, string)'"],
  [`${'('.repeat(5000)}1${')'.repeat(5000)}`, 'unread: it is nested too deeply'],
  ['self.many.all(a, self.many.all(b, self.many.all(c, true)))', 'unfinished'],
  ['cel.bind(x, self.a + 1, x * x) == 4', 'unread: it calls cel.bind, which API servers do not know'],
  ['selv.a == 1', 'unread: it names selv, which API servers do not know there'],
  [`"${'a'.repeat(40_000)}"`, 'unread: it is longer than 32768 characters'],
]

/** What would take minutes, or all memory. */
const hostile: readonly string[] = [
  'self.many.all(a, self.many.all(b, self.many.all(c, true)))',
  'self.many.all(a, self.many.all(b, self.many.all(c, true))) || true',
  `self.many.all(a, ${Array.from({ length: 1500 }, () => 'a >= 0').join(' && ')})`,
  'self.many.all(a, self.many.all(b, !(-1 in self.many)))',
  'self.many.all(a, self.many.map(i, i) == self.many)',
  'self.many.all(a, sets.contains(self.many, self.many))',
  'self.many.all(a, self.many.distinct().size() > 0)',
  'self.many.map(a, self.many.filter(b, b > a)).size() > 0',
  'self.many.all(a, !self.big.contains("b"))',
  'self.many.all(a, self.big.size() > 0 && self.big.lowerAscii() != "")',
  'self.many.all(a, self.big.split("").size() > 0)',
  'self.many.all(a, self.big.find("(a|aa)+b") == "")',
  'self.big.findAll("a*?b|a").size() > 0',
  `self.big.matches("${'(a?){1000}'.repeat(20)}b")`,
  `self.big.matches("${'(x+x+)+y|'.repeat(2000)}")`,
  'self.many.all(a, self.big.matches("^(a+)+$"))',
  doubled('"0123456789"', 'a + a'),
  doubled('[1]', 'a + a'),
  doubled('"aaaaaaaaaa"', 'a.replace("a", a)'),
  doubled('"aaaa"', 'a.replace("", a)'),
  doubled('"ab"', '[a, a, a].join(a)'),
  doubled('"ab"', '"%s%s%s".format([a, a, a])'),
  doubled('"ab"', 'strings.quote(a) + strings.quote(a)'),
]

/** A value that is made larger 40 times. */
function doubled(value: string, larger: string): string {
  return `${'['.repeat(40)}[${value}]${`.map(a, ${larger})[0]]`.repeat(40)}.size() > 0`
}

describe('expressions', () => {
  test.each(holds)('%s', (expression) => {
    expect(evaluate(expression)).toBe(true)
  })
  test.each(others)('%s', (expression, expected) => {
    expect(evaluate(expression)).toEqual(expected)
  })
  test.each(hostile)('%s takes too much work', (expression) => {
    expect(evaluate(expression)).toBe('unfinished')
  })
  test('have a bound together, beyond which those go on that take little', () => {
    const budget = celBudget()
    const states = (expression: string, times: number): readonly string[] => {
      const reading = readCel(expression, ['self'])
      if ('problem' in reading) throw new TypeError(reading.problem)
      return Array.from({ length: times }, () => reading.program.evaluate({ self }, budget).state)
    }
    // more than is free, and the most that one may take
    const [little, much] = ['self.many.all(a, a >= 0)', 'self.many.all(a, self.many.all(b, b >= 0))']
    const within = states('self.many.all(a, self.numbers.all(b, b >= 0))', 3)
    expect([...new Set([...states(much, 12), ...states(little, 100)])]).toEqual(['unfinished'])
    expect(within).toEqual(['value', 'value', 'value'])
    expect(states('self.numbers.all(a, self.numbers.all(b, b >= 0))', 3)).toEqual(['value', 'value', 'value'])
    expect(budget.left).toBeGreaterThan(-2_000_000)
  })
  test('says which variables are read', () => {
    const names = ['object', 'oldObject', 'params']
    const reading = readCel('object.spec.all(x, x > oldObject.y) && [params.z].exists(v, v == 1)', names)
    expect('program' in reading && [...reading.program.variables].sort()).toEqual(names)
  })
})
