import type { CommandSpec } from './arguments/command-spec.ts'
import { adoptSpec } from './adopt-command/spec.ts'
import { buildSpec } from './build-command/spec.ts'
import { cacheSpec } from './cache-command/spec.ts'
import { completionSpec } from './completion-command/spec.ts'
import { explainSpec } from './explain-command/spec.ts'
import { fetchSpec } from './fetch-command/spec.ts'
import { helpSpec } from './help-command/spec.ts'
import { imagesSpec } from './images-command/spec.ts'
import { initSpec } from './init-command/spec.ts'
import { listSpec } from './list-command/spec.ts'
import { renderSpec } from './render-command/spec.ts'
import { templateSpec } from './template-command/spec.ts'
import { updateSpec } from './update-command/spec.ts'
import { versionSpec } from './version-command/spec.ts'

/** Every command, in the order in which help lists them. */
export const commandTable: readonly CommandSpec[] = [
  renderSpec,
  updateSpec,
  fetchSpec,
  listSpec,
  cacheSpec,
  buildSpec,
  imagesSpec,
  explainSpec,
  templateSpec,
  adoptSpec,
  initSpec,
  completionSpec,
  versionSpec,
  helpSpec,
]
