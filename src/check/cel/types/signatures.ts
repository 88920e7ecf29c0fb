import { DYN, namedType, type StaticType } from './static-type.ts'

/** One way to call a function. */
export interface Signature {
  readonly form: 'function' | 'method'
  /** Of a method what it is called on comes first. Names that begin with `$` are variables of this signature. */
  readonly takes: readonly StaticType[]
  readonly gives: StaticType
}

/**
 * The functions that API servers know (cel-go, `stdlib`, `ext` and `OptionalTypes`; k8s.io/apiserver,
 * `pkg/cel/library`), whichever minor brought it: `name: receiver.(arguments) result`.
 */
const TEXT = `
_?_:_: (bool, $A, $A) $A
!_: (bool) bool
@not_strictly_false: (bool) bool
_==_: ($A, $A) bool
_!=_: ($A, $A) bool
_+_: (bytes, bytes) bytes | (double, double) double | (duration, duration) duration | (duration, timestamp) timestamp | (timestamp, duration) timestamp | (int, int) int | (list($A), list($A)) list($A) | (string, string) string | (uint, uint) uint
_-_: (double, double) double | (duration, duration) duration | (int, int) int | (timestamp, duration) timestamp | (timestamp, timestamp) duration | (uint, uint) uint
_*_: (double, double) double | (int, int) int | (uint, uint) uint
_/_: (double, double) double | (int, int) int | (uint, uint) uint
_%_: (int, int) int | (uint, uint) uint
-_: (double) double | (int) int
_[_]: (list($A), int) $A | (map($A, $B), $A) $B | (optional_type(list($A)), int) optional_type($A) | (optional_type(map($A, $B)), $A) optional_type($B)
@optional_index: (list($A), int) optional_type($A) | (optional_type(list($A)), int) optional_type($A) | (map($A, $B), $A) optional_type($B) | (optional_type(map($A, $B)), $A) optional_type($B)
@in: ($A, list($A)) bool | ($A, map($A, $B)) bool
size: (bytes) int | (list($A)) int | (map($A, $B)) int | (string) int | bytes.() int | list($A).() int | map($A, $B).() int | string.() int
contains: string.(string) bool
endsWith: string.(string) bool
startsWith: string.(string) bool
matches: (string, string) bool | string.(string) bool
type: ($A) type($A)
dyn: ($A) dyn
bool: (bool) bool | (string) bool
bytes: (bytes) bytes | (string) bytes
double: (double) double | (int) double | (string) double | (uint) double
duration: (duration) duration | (int) duration | (string) duration
int: (int) int | (double) int | (duration) int | (string) int | (timestamp) int | (uint) int
string: (string) string | (bool) string | (bytes) string | (double) string | (duration) string | (int) string | (timestamp) string | (uint) string | (net.IP) string | (net.CIDR) string
timestamp: (timestamp) timestamp | (int) timestamp | (string) timestamp
uint: (uint) uint | (double) uint | (int) uint | (string) uint
charAt: string.(int) string
indexOf: string.(string) int | string.(string, int) int | list($A).($A) int
lastIndexOf: string.(string) int | string.(string, int) int | list($A).($A) int
lowerAscii: string.() string
upperAscii: string.() string
trim: string.() string
replace: string.(string, string) string | string.(string, string, int) string
split: string.(string) list(string) | string.(string, int) list(string)
substring: string.(int) string | string.(int, int) string
format: string.(list(dyn)) string
strings.quote: (string) string
join: list(string).() string | list(string).(string) string
find: string.(string) string
findAll: string.(string) list(string) | string.(string, int) list(string)
optional.of: ($A) optional_type($A)
optional.ofNonZeroValue: ($A) optional_type($A)
optional.none: () optional_type($A)
optional.unwrap: (list(optional_type($A))) list($A)
unwrapOpt: list(optional_type($A)).() list($A)
value: optional_type($A).() $A
hasValue: optional_type($A).() bool
or: optional_type($A).(optional_type($A)) optional_type($A)
orValue: optional_type($A).($A) $A
first: list($A).() optional_type($A)
last: list($A).() optional_type($A)
sets.contains: (list($A), list($A)) bool
sets.equivalent: (list($A), list($A)) bool
sets.intersects: (list($A), list($A)) bool
slice: list($A).(int, int) list($A)
flatten: list(list($A)).() list($A) | list(dyn).(int) list(dyn)
lists.range: (int) list(int)
reverse: list($A).() list($A)
distinct: list($A).() list($A)
quantity: (string) kubernetes.Quantity
isQuantity: (string) bool
sign: (kubernetes.Quantity) int
isGreaterThan: kubernetes.Quantity.(kubernetes.Quantity) bool | kubernetes.Semver.(kubernetes.Semver) bool
isLessThan: kubernetes.Quantity.(kubernetes.Quantity) bool | kubernetes.Semver.(kubernetes.Semver) bool
compareTo: kubernetes.Quantity.(kubernetes.Quantity) int | kubernetes.Semver.(kubernetes.Semver) int
asApproximateFloat: kubernetes.Quantity.() double
asInteger: kubernetes.Quantity.() int
isInteger: kubernetes.Quantity.() bool
add: kubernetes.Quantity.(kubernetes.Quantity) kubernetes.Quantity | kubernetes.Quantity.(int) kubernetes.Quantity
sub: kubernetes.Quantity.(kubernetes.Quantity) kubernetes.Quantity | kubernetes.Quantity.(int) kubernetes.Quantity
ip: (string) net.IP | net.CIDR.() net.IP
ip.isCanonical: (string) bool
isIP: (string) bool
family: net.IP.() int
isUnspecified: net.IP.() bool
isLoopback: net.IP.() bool
isLinkLocalMulticast: net.IP.() bool
isLinkLocalUnicast: net.IP.() bool
isGlobalUnicast: net.IP.() bool
cidr: (string) net.CIDR
isCIDR: (string) bool
containsIP: net.CIDR.(string) bool | net.CIDR.(net.IP) bool
containsCIDR: net.CIDR.(string) bool | net.CIDR.(net.CIDR) bool
prefixLength: net.CIDR.() int
masked: net.CIDR.() net.CIDR
url: (string) kubernetes.URL
isURL: (string) bool
getScheme: kubernetes.URL.() string
getHost: kubernetes.URL.() string
getHostname: kubernetes.URL.() string
getPort: kubernetes.URL.() string
getEscapedPath: kubernetes.URL.() string
getQuery: kubernetes.URL.() map(string, list(string))
validate: kubernetes.NamedFormat.(string) optional_type(list(string))
format.named: (string) optional_type(kubernetes.NamedFormat)
semver: (string) kubernetes.Semver | (string, bool) kubernetes.Semver
isSemver: (string) bool | (string, bool) bool
major: kubernetes.Semver.() int
minor: kubernetes.Semver.() int
patch: kubernetes.Semver.() int
path: kubernetes.authorization.Authorizer.(string) kubernetes.authorization.PathCheck
group: kubernetes.authorization.Authorizer.(string) kubernetes.authorization.GroupCheck
serviceAccount: kubernetes.authorization.Authorizer.(string, string) kubernetes.authorization.Authorizer
resource: kubernetes.authorization.GroupCheck.(string) kubernetes.authorization.ResourceCheck
subresource: kubernetes.authorization.ResourceCheck.(string) kubernetes.authorization.ResourceCheck
namespace: kubernetes.authorization.ResourceCheck.(string) kubernetes.authorization.ResourceCheck
name: kubernetes.authorization.ResourceCheck.(string) kubernetes.authorization.ResourceCheck
fieldSelector: kubernetes.authorization.ResourceCheck.(string) kubernetes.authorization.ResourceCheck
labelSelector: kubernetes.authorization.ResourceCheck.(string) kubernetes.authorization.ResourceCheck
check: kubernetes.authorization.PathCheck.(string) kubernetes.authorization.Decision | kubernetes.authorization.ResourceCheck.(string) kubernetes.authorization.Decision
errored: kubernetes.authorization.Decision.() bool
error: kubernetes.authorization.Decision.() string
allowed: kubernetes.authorization.Decision.() bool
reason: kubernetes.authorization.Decision.() string`

const ORDERED = ['bool', 'bytes', 'double', 'duration', 'int', 'string', 'timestamp', 'uint']
const NUMBERS = ['double', 'int', 'uint']
const FORMATS =
  'dns1123Label dns1123Subdomain dns1035Label qualifiedName labelValue dns1123LabelPrefix dns1123SubdomainPrefix dns1035LabelPrefix uri uuid byte date datetime'.split(
    ' ',
  )
const OF_DURATIONS = ['getHours', 'getMinutes', 'getSeconds', 'getMilliseconds']
const OF_TIMES = [
  'getFullYear',
  'getMonth',
  'getDayOfYear',
  'getDayOfMonth',
  'getDate',
  'getDayOfWeek',
  ...OF_DURATIONS,
]

function lines(): readonly string[] {
  const comparisons = [
    ...ORDERED.map((type) => `(${type}, ${type}) bool`),
    ...NUMBERS.flatMap((one) => NUMBERS.flatMap((other) => (one === other ? [] : [`(${one}, ${other}) bool`]))),
  ].join(' | ')
  const items = (gives: (type: string) => string, types = ORDERED): string =>
    types.map((type) => `list(${type}).() ${gives(type)}`).join(' | ')
  return [
    ...TEXT.trim().split('\n'),
    ...['_<_', '_<=_', '_>_', '_>=_'].map((name) => `${name}: ${comparisons}`),
    `isSorted: ${items(() => 'bool')}`,
    ...['min', 'max'].map((name) => `${name}: ${items((type) => type)}`),
    `sort: ${items((type) => `list(${type})`)}`,
    `sum: ${items((type) => type, [...NUMBERS, 'duration'])}`,
    ...OF_TIMES.map(
      (name) =>
        `${name}: timestamp.() int | timestamp.(string) int${OF_DURATIONS.includes(name) ? ' | duration.() int' : ''}`,
    ),
    ...FORMATS.map((name) => `format.${name}: () kubernetes.NamedFormat`),
  ]
}

let known: ReadonlyMap<string, readonly Signature[]> | undefined

/** The functions that API servers know, with how they are called. */
export function celSignatures(): ReadonlyMap<string, readonly Signature[]> {
  return (known ??= new Map(
    lines().map((line) => {
      const [, name = '', ways = ''] = /^(\S+): (.*)$/.exec(line) ?? []
      return [name, ways.split(' | ').map(readSignature)]
    }),
  ))
}

function readSignature(text: string): Signature {
  const read = new TypeReader(text)
  const receiver = text.startsWith('(') ? undefined : read.type()
  const takes = read.list()
  return {
    form: receiver === undefined ? 'function' : 'method',
    takes: receiver === undefined ? takes : [receiver, ...takes],
    gives: read.type(),
  }
}

/** Reads types from text, one after another. */
class TypeReader {
  private readonly tokens: readonly string[]
  private next = 0

  constructor(text: string) {
    this.tokens = text.match(/\.\(|[()]|,|[\w$]+(?:\.\w+)*/g) ?? []
  }

  type(): StaticType {
    const name = this.tokens[this.next++]
    if (name === undefined) return DYN
    return this.tokens[this.next] === '(' ? namedType(name, ...this.list()) : namedType(name)
  }

  /** Types in parentheses. */
  list(): readonly StaticType[] {
    this.next++
    const found: StaticType[] = []
    while (this.next < this.tokens.length && this.tokens[this.next] !== ')') {
      if (this.tokens[this.next] === ',') this.next++
      else found.push(this.type())
    }
    this.next++
    return found
  }
}
