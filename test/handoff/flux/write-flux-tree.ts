import { renderFlux, type FluxContext } from '../../../tools/fleets/hand-over.ts'
import type { FluxHandoff } from '../../../src/model/handoff-config.ts'
import type { Unit } from '../../../src/model/handoff.ts'
import { createNodePorts } from '../../../src/system/node-ports.ts'
import { writeTree } from '../../../src/write/write-tree.ts'
import { tempFolder } from '../../support/temp-folder.ts'

/** Writes the tree of the units as `render` does; returns the folder that holds `rendered`. */
export async function writeFluxTree(
  units: readonly Unit[],
  config: FluxHandoff,
  context: FluxContext,
): Promise<string> {
  const repository = await tempFolder()
  const ports = createNodePorts()
  await ports.files.makeDirectory(`${repository}/rendered`)
  const { folders, handoff } = renderFlux(units, config, context)
  const options = {
    output: `${repository}/rendered`,
    owner: { name: 'fleet', file: '../stackmason.yaml' },
    allowEmpty: false,
    overwriteEdited: false,
  }
  await writeTree({ folders: [...folders, ...handoff], scopes: [''] }, options, ports)
  return repository
}
