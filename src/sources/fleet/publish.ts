import { normalizePath, withoutTrailingSlashes } from '../../codec/path.ts'
import { isBranchName } from '../../model/branch-name.ts'
import { fieldAt, itemsAt, textAt } from '../../model/field.ts'
import { findingsForms } from '../../model/forge.ts'
import type { PublishConfig, PublishForge, PullRequestConfig } from '../../model/publish-config.ts'
import { days, type TimeWindow } from '../../model/time-window.ts'
import { GoInt, type Value } from '../../model/value.ts'
import type { ConfigDocument } from './config-document.ts'
import type { Reading } from './reading.ts'
import { readArtifacts } from './publish-artifacts.ts'
import { quote } from './schema-diagnostic.ts'
import { readAccess } from './source-configs.ts'

const PATH = ['spec', 'publish'] as const
/** Fields that name branches, and what names of branches go on with. */
const branchFields = [
  ['base', ''],
  ['branch', ''],
  ['branchPrefix', 'fleet'],
] as const

/** `spec.publish` of stackmason.yaml, checked by the schema before; defaults where it says nothing. */
export async function readPublish(document: ConfigDocument, reading: Reading): Promise<PublishConfig> {
  const value = fieldAt(document.value, ...PATH)
  const text = (field: string): string => textAt(value ?? null, field)
  const path = text('path')
  const folder = withoutTrailingSlashes(normalizePath(path))
  if (folder === '..' || folder.startsWith('../') || /(?:^|\/)\.git(?:\/|$)/i.test(folder)) {
    reading.problems.push({
      code: 'CONFIG_INVALID_VALUE',
      severity: 'error',
      message: `spec.publish.path: ${JSON.stringify(path)} leads out of the repository`,
      at: document.spanOf([...PATH, 'path']),
      hint: 'Write the path from the root of the repository.',
    })
  }
  for (const [field, end] of branchFields) {
    const name = text(field)
    if (name === '' || isBranchName(name + end)) continue
    reading.problems.push({
      code: 'CONFIG_INVALID_VALUE',
      severity: 'error',
      message: `spec.publish.${field}: git takes no branch of the name ${JSON.stringify(name + end)}`,
      at: document.spanOf([...PATH, field]),
    })
  }
  const oci = await readArtifacts(document, reading)
  return {
    into: text('into') === 'branch' ? 'branch' : 'pullRequest',
    ...optional('base', text('base')),
    ...optional('repository', text('repository')),
    ...optional('branch', text('branch')),
    path: path === '' ? undefined : folder === '.' ? '' : folder,
    branchPrefix: text('branchPrefix') || 'stackmason/',
    forge: await readForge(document, reading),
    findings: [...findingsForms, 'none' as const].find((form) => form === text('findings')) ?? 'check',
    schedule: readSchedule(value ?? null, document, reading),
    limits: readLimits(fieldAt(value ?? null, 'limits') ?? null),
    pullRequest: readPullRequest(fieldAt(value ?? null, 'pullRequest') ?? null),
    ...readStatuses(fieldAt(value ?? null, 'statuses')),
    oci,
    at: value === undefined ? undefined : document.spanOf(PATH, 'key'),
  }
}

function optional<Name extends string>(name: Name, text: string): Partial<Record<Name, string>> {
  const fields: Partial<Record<Name, string>> = {}
  if (text !== '') fields[name] = text
  return fields
}

async function readForge(document: ConfigDocument, reading: Reading): Promise<PublishForge> {
  const value = fieldAt(document.value, ...PATH, 'forge') ?? null
  const [kind, url] = [textAt(value, 'kind'), withoutTrailingSlashes(textAt(value, 'url'))]
  const access = await readAccess({ value, path: [...PATH, 'forge'], document, reading }, url === '' ? [] : [url])
  return {
    ...access,
    kind: kind === 'github' || kind === 'gitea' || kind === 'gitlab' ? kind : undefined,
    url: url || undefined,
  }
}

function readSchedule(value: Value, document: ConfigDocument, { problems, timeZones }: Reading): readonly TimeWindow[] {
  return itemsAt(value, 'schedule').map((window, index) => {
    const timezone = textAt(window, 'timezone') || 'UTC'
    if (timeZones.wallTime(0, timezone) === undefined)
      problems.push({
        code: 'CONFIG_INVALID_VALUE',
        severity: 'error',
        message: `nobody knows the time zone ${quote(timezone)}`,
        at: document.spanOf([...PATH, 'schedule', index, 'timezone']),
        hint: 'Write a name of the IANA database, such as Europe/Berlin or UTC.',
      })
    const wanted = textsAt(window, 'days')
    return {
      days: days.filter((day) => wanted.includes(day)),
      from: textAt(window, 'from'),
      to: textAt(window, 'to'),
      timezone,
    }
  })
}

function readLimits(value: Value): PublishConfig['limits'] {
  const most = fieldAt(value, 'openPullRequests')
  return most instanceof GoInt ? { openPullRequests: Number(most.value) } : {}
}

function readStatuses(value: Value | undefined): Pick<PublishConfig, 'statuses'> {
  if (value === undefined) return {}
  return { statuses: { addons: textsAt(value, 'addons'), class: textsAt(value, 'class') } }
}

function textsAt(value: Value, field: string): readonly string[] {
  return itemsAt(value, field).filter((item): item is string => typeof item === 'string')
}

function readPullRequest(value: Value): PullRequestConfig {
  const texts = (field: string): readonly string[] => textsAt(value, field)
  const [title, method, grouping] = [textAt(value, 'title'), textAt(value, 'autoMerge'), textAt(value, 'grouping')]
  return {
    title: title || undefined,
    labels: texts('labels'),
    reviewers: texts('reviewers'),
    teams: texts('teams'),
    assignees: texts('assignees'),
    isDraft: fieldAt(value, 'draft') === true,
    grouping: grouping === 'namespace' || grouping === 'cluster' ? grouping : 'fleet',
    autoMerge: method === 'merge' || method === 'squash' || method === 'rebase' ? method : undefined,
  }
}
