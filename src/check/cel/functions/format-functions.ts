import { annotationKey, dnsLabel, dnsSubdomain, labelValue, type NameRule } from '../../../model/kubernetes-names.ts'
import { textFormats } from '../../schema/string-formats.ts'
import { type CelFunction, celFunction, celMethod, Opaque, Optional } from '../cel-values.ts'

/** A format of text by its name. */
class Format extends Opaque {
  readonly type = 'kubernetes.NamedFormat'
  readonly key: string
  readonly rule: NameRule

  constructor(key: string, rule: NameRule) {
    super()
    this.key = key
    this.rule = rule
  }
}

const label1035: NameRule = {
  allows: (text) => text.length <= 63 && /^[a-z](?:[-a-z0-9]*[a-z0-9])?$/.test(text),
  says: 'a-z, 0-9 and -, beginning with a letter and ending with a letter or digit, 63 characters at most',
}

/** A name to which something is added: it may end in a dash. */
function prefixOf({ allows, says }: NameRule): NameRule {
  return { allows: (text) => allows(text.endsWith('-') ? `${text.slice(0, -1)}a` : text), says }
}

const formats: ReadonlyMap<string, NameRule> = new Map<string, NameRule>([
  ['dns1123Label', dnsLabel],
  ['dns1123Subdomain', dnsSubdomain],
  ['dns1035Label', label1035],
  ['qualifiedName', annotationKey],
  ['dns1123LabelPrefix', prefixOf(dnsLabel)],
  ['dns1123SubdomainPrefix', prefixOf(dnsSubdomain)],
  ['dns1035LabelPrefix', prefixOf(label1035)],
  ['labelValue', labelValue],
  ...['uri', 'uuid', 'byte', 'date', 'datetime'].flatMap((name): [string, NameRule][] => {
    const found = textFormats.get(name)
    return found === undefined ? [] : [[name, found]]
  }),
])

/** `format.dns1123Label()`, `format.named(name)` and `validate`. */
export const formatFunctions: readonly CelFunction[] = [
  ...[...formats].map(([name, rule]) => celFunction(`format.${name}`, [], () => new Format(name, rule))),
  celFunction('format.named', ['string'], ([name]) => {
    const rule = typeof name === 'string' ? formats.get(name) : undefined
    return new Optional(typeof name === 'string' && rule !== undefined ? [new Format(name, rule)] : [])
  }),
  celMethod('validate', [Format, 'string'], ([format, text]) =>
    format instanceof Format && typeof text === 'string' && !format.rule.allows(text)
      ? new Optional([[`has to be ${format.rule.says}`]])
      : new Optional([]),
  ),
]
