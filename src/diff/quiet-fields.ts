import { itemsAt, textAt } from '../model/field.ts'
import type { Value } from '../model/value.ts'
import {
  becomes,
  becomesOn,
  type FieldRow,
  gainsItems,
  type Judge,
  letsMore,
  offNoMore,
  secondsOf,
  wasSet,
} from './field-row.ts'
import { textOf } from './values-at.ts'

const CONFIGURATION = /^\/(?:ConfigMap|Secret)$/
const BACKUP = /^velero\.io\/(?:Schedule|Backup)$/
const TEMPLATES = ['spec.template', 'spec']

const KUBEADM = /^(?:bootstrap|controlplane)\.cluster\.x-k8s\.io\/Kubeadm(?:ControlPlane|Config)(?:Template)?$/
/** Where kinds of kubeadm have their configuration: objects and templates, with and without a control plane. */
const KUBEADM_SPECS = ['spec', 'spec.kubeadmConfigSpec', 'spec.template.spec', 'spec.template.spec.kubeadmConfigSpec']
const inKubeadm = (...fields: readonly string[]): readonly string[] =>
  KUBEADM_SPECS.flatMap((spec) => fields.map((field) => `${spec}.${field}`))
/** A map in v1beta1, a list of names and values in v1beta2. */
const API_SERVER_FLAGS = inKubeadm(
  'clusterConfiguration.apiServer.extraArgs.*',
  'clusterConfiguration.apiServer.extraArgs.*.value',
)

/** Fields by which something stops, or goes elsewhere, without an error: nobody sees it before it is needed. */
export const quietRows: readonly FieldRow[] = [
  {
    of: /^(?:batch\/CronJob|velero\.io\/Schedule)$/,
    paths: ['spec.schedule'],
    risk: 'suspends',
    when: (before, after) => neverComes(after) && !neverComes(before),
    text: 'a schedule that never comes',
    alsoNew: true,
  },
  // from then on a change of it is refused until it is deleted
  { of: CONFIGURATION, paths: ['immutable'], risk: 'refuses-more', when: becomesOn },
  { of: /^\/Service$/, paths: ['spec.publishNotReadyAddresses'], risk: 'lowers-guard', when: becomesOn },
  // CoreDNS: where names are asked for and what is answered
  {
    of: /^\/ConfigMap$/,
    paths: ['data.*'],
    key: /^data\.(?:Corefile|.*\.(?:server|override))$/,
    risk: 'redirects',
    when: (before, after) => before !== null && answersOf(before) !== answersOf(after),
    text: 'where DNS names are asked for',
  },
  {
    of: /^monitoring\.coreos\.com\/PrometheusRule$/,
    paths: ['spec.groups'],
    risk: 'lowers-guard',
    when: (before, after) => alertsOf(before).some((alert) => !alertsOf(after).includes(alert)),
    text: 'an alert goes',
  },
  {
    of: BACKUP,
    paths: TEMPLATES.map((place) => `${place}.ttl`),
    risk: 'lowers-guard',
    when: keepsLess(),
    text: 'backups are kept for less time',
  },
  {
    of: BACKUP,
    paths: TEMPLATES.flatMap((place) => ['includedNamespaces', 'includedResources'].map((name) => `${place}.${name}`)),
    risk: 'lowers-guard',
    when: savesFewer(),
  },
  {
    of: BACKUP,
    paths: TEMPLATES.flatMap((place) => ['excludedNamespaces', 'excludedResources'].map((name) => `${place}.${name}`)),
    risk: 'lowers-guard',
    when: gainsItems,
  },
  {
    of: /^velero\.io\/BackupStorageLocation$/,
    paths: ['spec.provider', 'spec.objectStorage'],
    risk: 'redirects',
    when: wasSet,
  },
  {
    of: /^velero\.io\/BackupStorageLocation$/,
    paths: ['spec.accessMode'],
    risk: 'suspends',
    when: becomes('ReadOnly'),
  },
  // whoever boots a node is root there
  {
    of: KUBEADM,
    paths: inKubeadm('preKubeadmCommands', 'postKubeadmCommands', 'bootCommands'),
    risk: 'widens-rights',
    when: gainsItems,
    text: 'commands on nodes',
  },
  { of: KUBEADM, paths: inKubeadm('users'), risk: 'widens-rights', when: gainsItems, text: 'users of nodes' },
  {
    of: KUBEADM,
    paths: API_SERVER_FLAGS,
    key: /\.anonymous-auth(?:\.value)?$/,
    risk: 'lowers-guard',
    // on unless it is said
    when: offNoMore,
    text: 'API server: anonymous-auth',
  },
  {
    of: KUBEADM,
    paths: API_SERVER_FLAGS,
    key: /\.authorization-mode(?:\.value)?$/,
    risk: 'lowers-guard',
    when: (before, after) =>
      typeof after === 'string' && after.includes('AlwaysAllow') && !textOf(before).includes('AlwaysAllow'),
    text: 'API server: AlwaysAllow',
  },
]

/** True for kinds without which nobody is told, or nothing is saved. */
export function isWatch(kind: string, object: Value): boolean {
  if (kind === 'monitoring.coreos.com/PrometheusRule') return alertsOf(itemsAt(object, 'spec', 'groups')).length > 0
  return /^(?:velero\.io\/Schedule|postgresql\.cnpg\.io\/ScheduledBackup)$/.test(kind)
}

function alertsOf(groups: Value | readonly Value[]): readonly string[] {
  const list: readonly Value[] = Array.isArray(groups) ? groups : []
  return list
    .flatMap((group) => itemsAt(group, 'rules'))
    .map((rule) => textAt(rule, 'alert'))
    .filter((alert) => alert !== '')
}

/** Directives of CoreDNS that have nothing to do with where an answer comes from. */
const ELSEWHERE =
  /^(?:errors|log|health|lameduck|ready|prometheus|cache|success|denial|prefetch|serve_stale|loop|reload|loadbalance|debug|bufsize|max_concurrent|ttl|class)(?!\S)/

/** A Corefile without them, comments and space. */
function answersOf(text: Value): string {
  if (typeof text !== 'string') return textOf(text)
  return text
    .split('\n')
    .map((line) => line.replace(/#.*/, '').trim().replaceAll(/\s+/g, ' '))
    .filter((line) => !/^[{}]?$/.test(line) && !ELSEWHERE.test(line))
    .join('\n')
}

/** Velero saves all where nothing is said, as with a star. */
function savesFewer(): Judge {
  const namedIn = (list: Value): Value => (Array.isArray(list) && list.includes('*') ? null : list)
  return (before, after) => letsMore(namedIn(after), namedIn(before))
}

/** Velero keeps backups for 30 days where nothing is said. */
const DEFAULT_TTL = 720 * 3600

function keepsLess(): Judge {
  const timeOf = (value: Value): number => secondsOf(value) || DEFAULT_TTL
  return (before, after) => timeOf(after) < timeOf(before)
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const DAYS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

/** True for a day that none of the months has, `0 0 31 2 *`; a day of the week would come anyway. */
function neverComes(schedule: Value): boolean {
  const [, , days = '*', months = '*', week = '*'] =
    typeof schedule === 'string'
      ? schedule
          .replace(/^(?:CRON_)?TZ=\S+\s+/, '')
          .trim()
          .split(/\s+/)
      : []
  if (!/^\d{1,2}(?:,\d{1,2})*$/.test(days) || week !== '*' || months === '*') return false
  const asked = months.split(',').map((month) => {
    const named = MONTHS.indexOf(month.toLowerCase())
    return named === -1 ? Number(month) - 1 : named
  })
  // ranges and steps are not looked into
  if (asked.some((month) => DAYS[month] === undefined)) return false
  const longest = Math.max(...asked.map((month) => DAYS[month] ?? 0))
  return days.split(',').every((day) => Number(day) > longest)
}
