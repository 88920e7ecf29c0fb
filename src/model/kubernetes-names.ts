/** A rule for names that API servers keep: k8s.io/apimachinery/pkg/util/validation, and the strategies of the kinds. */
export interface NameRule {
  readonly allows: (text: string) => boolean
  /** The rule in words, for people. */
  readonly says: string
}

function rule(pattern: RegExp, longest: number, says: string): NameRule {
  return { allows: (text) => text.length <= longest && pattern.test(text), says }
}

/** Namespaces, and whatever becomes a part of a host name. */
export const dnsLabel: NameRule = rule(
  /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/,
  63,
  'a-z, 0-9 and -, first and last a letter or digit, 63 characters at most',
)

/** Names of most objects. */
export const dnsSubdomain: NameRule = rule(
  /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/,
  253,
  'a-z, 0-9, - and ., first and last of each part between dots a letter or digit, 253 characters at most',
)

/** Names that are free but for what a path of a URL cannot hold. */
const pathSegment: NameRule = rule(/^(?!\.\.?$)[^/%]+$/, Number.MAX_SAFE_INTEGER, 'anything without / and %')

const QUALIFIED = '[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?'

/** Values of labels. */
export const labelValue: NameRule = rule(
  new RegExp(`^(?:${QUALIFIED})?$`),
  63,
  'A-Z, a-z, 0-9, -, _ and ., first and last a letter or digit, 63 characters at most',
)

const bareKey = rule(new RegExp(`^${QUALIFIED}$`), 63, labelValue.says)

/** Keys of labels: a name, or a domain, a slash and a name. */
export const labelKey: NameRule = {
  allows: (text) => {
    const slash = text.indexOf('/')
    return bareKey.allows(text.slice(slash + 1)) && (slash === -1 || dnsSubdomain.allows(text.slice(0, slash)))
  },
  says: `${labelValue.says}, after a domain and / if there is one`,
}

/** Keys of annotations: the same, in any case. */
export const annotationKey: NameRule = { ...labelKey, allows: (text) => labelKey.allows(text.toLowerCase()) }

/** Keys of ConfigMaps and Secrets. */
export const dataKey: NameRule = rule(
  /^(?!\.\.?$)(?!\.\.)[-._A-Za-z0-9]+$/,
  253,
  'A-Z, a-z, 0-9, -, _ and ., not beginning with .., 253 characters at most',
)

/** Kinds: their names in lower case are labels of host names. */
export const kindRule: NameRule = rule(
  /^[A-Za-z](?:[-A-Za-z0-9]*[A-Za-z0-9])?$/,
  63,
  'letters and digits, the first a letter, 63 at most',
)

/** An apiVersion: a version, after the name of a group and a slash unless it is the core group. */
export const apiVersionRule: NameRule = {
  allows: (text) => {
    const slash = text.indexOf('/')
    const version = text.slice(slash + 1)
    return (
      (slash === -1 || dnsSubdomain.allows(text.slice(0, slash))) &&
      version.length <= 63 &&
      /^[a-z](?:[-a-z0-9]*[a-z0-9])?$/.test(version)
    )
  },
  says: 'a version such as v1, and a group with a slash and a version such as apps/v1',
}

/** Groups whose objects have names that are not part of a host name. */
const freeGroups: ReadonlySet<string> = new Set([
  'rbac.authorization.k8s.io',
  'apiregistration.k8s.io',
  'certificates.k8s.io',
])

/** Names of jobs: they become a label of their pods. */
const jobName: NameRule = {
  allows: (text) => text.length <= 63 && dnsSubdomain.allows(text),
  says: 'a-z, 0-9, - and ., first and last of each part between dots a letter or digit, 63 characters at most',
}

/** Names of jobs in series: each job gets the time behind it. */
const cronJobName: NameRule = {
  allows: (text) => text.length <= 52 && dnsSubdomain.allows(text),
  says: 'a-z, 0-9, - and ., first and last of each part between dots a letter or digit, 52 characters at most',
}

const byKind: ReadonlyMap<string, NameRule> = new Map([
  ['/Namespace', dnsLabel],
  ['/Service', dnsLabel],
  ['apps/StatefulSet', dnsLabel],
  ['batch/Job', jobName],
  ['batch/CronJob', cronJobName],
])

/** The rule for the name of an object. A kind that is not built in has that of custom resources. */
export function objectNameRule({ apiVersion, kind }: { readonly apiVersion: string; readonly kind: string }): NameRule {
  const group = apiVersion.slice(0, Math.max(apiVersion.indexOf('/'), 0))
  return byKind.get(`${group}/${kind}`) ?? (freeGroups.has(group) ? pathSegment : dnsSubdomain)
}
