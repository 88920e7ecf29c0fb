import { isNameOfSecret } from '../../model/sensitive-name.ts'

/** Takes one text that must not be shown. */
type Add = (secret: string) => void

/** How secrets stand on lines of formats that are not YAML: by name, or known by what stands around them. */
interface LineRow {
  /** Without it the line is not looked at. */
  readonly mark: RegExp
  /** The last group is the secret; with two, the first one must be the name of a secret. */
  readonly pattern: RegExp
  /** True where prose may stand, too: words in small letters, and files, are none. */
  readonly isLoose?: true
}

const SCHEME = String.raw`(?:(?:Bearer|Basic|Token|Digest|ApiKey|Negotiate)\s{1,3})?`

/** Names that stand before a secret without any sign between the two; other names do so in prose. */
const WORDS_BEFORE = String.raw`(?:pass|passwd|password|passphrase|(?:secret|shared|api|access|auth)[_-]?key|[\w-]{1,60}[_-]token)`
const ALONE = new RegExp(String.raw`${WORDS_BEFORE}["']?[ \t]{1,20}\S`, 'i')
/** Prose, and the name of a file. */
const PLAIN =
  /^[A-Za-z]?[a-z]+(?:[-_./,][A-Za-z]?[a-z]+)*[.,;:!?]?$|^\.{0,2}\/|\.(?:crt|key|pem|txt|ya?ml|json)$|^[\d.,]+$|^(?:\*|\$|%)/

const rows: readonly LineRow[] = [
  // nginx
  {
    mark: /_header|fastcgi_param/,
    pattern: new RegExp(
      String.raw`\b(?:proxy_set_header|add_header|fastcgi_param|grpc_set_header)\s{1,5}["']?([A-Za-z][\w-]{1,60})["']?\s{1,5}["']?${SCHEME}([^\s"';]{1,2000})`,
      'gi',
    ),
  },
  // XML
  { mark: /<\//, pattern: /<([A-Za-z][\w.:-]{0,100})(?:\s[^<>]{0,200})?>([^<>]{1,1000})</g },
  {
    mark: /value\s?=\s?["']/i,
    pattern: /\b(?:key|name)\s?=\s?["']([\w.:-]{1,200})["']\s{1,20}value\s?=\s?["']([^"']{1,1000})["']/gi,
  },
  { mark: /<!\[CDATA/, pattern: /<([A-Za-z][\w.:-]{0,100})>\s{0,50}<!\[CDATA\[([^\]]{1,1500})\]/g },
  // netrc, Redis, Net-SNMP
  { mark: /login/, pattern: /\blogin\s{1,5}\S{1,200}\s{1,5}password\s{1,5}(\S{1,500})/g },
  {
    mark: /requirepass|masterauth|community/,
    pattern: /^\s{0,100}(?:requirepass|masterauth|r[ow]community6?)\s{1,20}["']?([^\s"']{1,500})/g,
  },
  { mark: /com2sec/, pattern: /^\s{0,100}com2sec6?\s{1,20}\S{1,200}\s{1,20}\S{1,200}\s{1,20}(\S{1,500})/g },
  // LDAP
  {
    mark: /(?:bind|root)pw/i,
    pattern: /^\s{0,100}(?:bindpw|rootpw|olcRootPW)\s{1,20}["']?([^\s"'$][^\s"']{0,500})/gi,
  },
  // SQL
  { mark: /password\s{1,5}'/i, pattern: /\bpassword\s{1,5}'([^']{1,500})'/gi },
  {
    mark: /identified\s/i,
    pattern:
      /\bidentified\s{1,5}(?:with\s{1,5}\S{1,60}\s{1,5})?(?:by|as)\s{1,5}(?:password\s{1,5})?["']([^"']{1,500})["']/gi,
  },
  {
    mark: /redis-/,
    pattern: /\bredis-(?:cli|benchmark)\b[^|;&]{0,300}?\s(?:-a|--pass)\s{1,5}["']?([^\s"'$][^\s"']{0,500})/g,
  },
  // calls of programs
  {
    mark: /(?:set|with)\w{1,62}\(/i,
    pattern: /\b((?:set|with)_?[A-Za-z][\w]{0,60})\(\s{0,5}["']([^"']{1,1000})["']\s{0,5}\)/gi,
  },
  {
    mark: /\(\s{0,5}["'][\w.-]+["']\s{0,5},/,
    pattern:
      /\b(?:define|get|getenv|(?:put|set)\w{0,30})\(\s{0,5}["']([\w.-]{1,100})["']\s{0,5},\s{0,5}["']([^"']{1,1000})["']/gi,
  },
  // a name and a value alone on a line, or in quotes
  {
    mark: ALONE,
    pattern: new RegExp(
      String.raw`(?:^\s{0,100}|["'])((?:[\w.-]{0,60}[_.-])?${WORDS_BEFORE})["']?[ \t]{1,20}["']?([^\s"'=:;{}()$<]{4,500})(?:["']|;?\s{0,20}$)`,
      'gi',
    ),
    isLoose: true,
  },
  // a pair in a comment, or in quotes
  {
    mark: /[#"'][^#"':]{2,66}:\s/,
    pattern: new RegExp(
      String.raw`(?:#|//|["'])\s{0,5}([A-Za-z][\w.-]{1,60}):\s{1,5}["']?${SCHEME}([^\s"'#]{4,500})(?=["']|\s{0,5}(?:$|#))`,
      'gi',
    ),
    isLoose: true,
  },
  // headers of HTTP
  {
    mark: /bearer\s|basic\s/i,
    pattern: /\b(?:bearer\s{1,3}(?=\D{0,100}\d)([\w.~+/=-]{6,4000})|basic\s{1,3}(?=\D{0,100}\d)([\w+/=]{8,4000}))/gi,
  },
  // shells and Containerfiles
  {
    mark: /export|setenv|ENV/,
    pattern: /\b(?:export|setenv|ENV)\s{1,5}([A-Za-z_]\w{0,200})\s{1,5}["']?([^\s"'=]{1,1000})(?![\w=])/g,
  },
  // logins of files for htpasswd
  {
    mark: /:(?:\$|\{SHA)/,
    pattern: /(?:^|[\s"',])[\w.@-]{1,100}:(\$(?:2[abxy]|apr1|[156y])\$[^\s"',]{4,200}|\{SHA\}[^\s"',]{8,100})/g,
  },
  // addresses that are the secret
  {
    mark: /[?&](?:sig|signature|x-(?:amz|goog)-signature)=/i,
    pattern: /[?&](?:sig|signature|x-(?:amz|goog)-signature)=([^&\s"'<>]{4,1000})/gi,
  },
  { mark: /\/api\/webhooks\//, pattern: /\bdiscord(?:app)?\.com\/api\/webhooks\/\d{1,30}\/([\w-]{4,200})/g },
  { mark: /webhook\.office\.com/, pattern: /\bwebhook\.office\.com\/([\w@/-]{8,500})/g },
  { mark: /telegram\.org/, pattern: /\bapi\.telegram\.org\/bot(\d{1,20}:[\w-]{4,100})/g },
]

const WORTH_A_LOOK = new RegExp(rows.map(({ mark }) => `(?:${mark.source})`).join('|'), 'i')

/** True if a text may have such a line. */
export function mayHoldSecretLine(text: string): boolean {
  return WORTH_A_LOOK.test(text)
}

/** Finds secrets on a line of another format. */
export function collectFromFormats(line: string, add: Add): void {
  if (!WORTH_A_LOOK.test(line)) return
  for (const { mark, pattern, isLoose = false } of rows) {
    if (!mark.test(line)) continue
    for (const [, first = '', second] of line.matchAll(pattern))
      if (second === undefined) add(first)
      else if ((first === '' || isNameOfHeader(first)) && !isVariable(second) && !(isLoose && isPlain(first, second)))
        add(second)
  }
}

function isPlain(name: string, value: string): boolean {
  return PLAIN.test(value) || /^key$/i.test(name)
}

/** True if an XML attribute `key` on the line only names what stands beside it. */
export function namesValueBeside(line: string): boolean {
  return /\bvalue\s?=\s?["']|<\w[^<>]{0,200}\skey\s?=\s?["']/i.test(line)
}

/** The value of a header of HTTP, `Name: value`, without the scheme of authorization; '' if it is no secret. */
export function secretOfHeader(text: string): string {
  const [, name = '', value = ''] =
    new RegExp(String.raw`^\s{0,5}([A-Za-z][\w-]{0,60}):\s{0,5}${SCHEME}(\S[^]{0,2000})$`, 'i').exec(text) ?? []
  return isNameOfHeader(name) && !isVariable(value) ? value.trimEnd() : ''
}

function isNameOfHeader(name: string): boolean {
  return isNameOfSecret(name) || /^(?:set-)?cookie$/i.test(name)
}

function isVariable(text: string): boolean {
  return /^(?:\$[A-Za-z_({]|\{\{|<<)/.test(text)
}
