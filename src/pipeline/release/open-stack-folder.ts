import { isInside, joinPath, relativePath } from '../../codec/path.ts'
import { applyRow } from '../../build/apply-row.ts'
import { inputProblem } from '../../build/build-input.ts'
import type { StackFolder } from '../../build/make-assets.ts'
import { parseStackDocument, STACK_DOCUMENT } from '../../build/stack-document.ts'
import type { Diagnostic } from '../../model/diagnostic.ts'
import type { Files } from '../../model/ports.ts'
import { listFolder, openFolder, readProviderTree } from '../../sources/release/read-folder.ts'
import { CONFIG_NAMES, parseStackConfig } from '../../sources/release/stack-config.ts'

/** A provider directory as it lies there. */
export interface OpenedStack {
  readonly folder: StackFolder
  readonly findings: readonly Diagnostic[]
}

const CONFIGS: readonly string[] = [...CONFIG_NAMES, STACK_DOCUMENT]

/**
 * Reads a provider directory: csctl's layout, or the one with stack.yaml. What was built into a folder inside of it,
 * `.release` or `output`, does not belong to it.
 * @throws StackmasonError FILE_*, RELEASE_METADATA_INVALID, RELEASE_NAME_INVALID, RELEASE_TOO_LARGE,
 * BUILD_INPUT_INVALID
 */
export async function openStackFolder(path: string, output: string, files: Files): Promise<OpenedStack> {
  if (output === path) throw inputProblem('the output folder cannot be the provider directory', { file: output })
  const root = await openFolder(path, files)
  const names = (await listFolder(root, files)).map(({ name }) => name)
  const configFile = CONFIGS.find((name) => names.includes(name))
  if (configFile === undefined) throw await noConfig(path, files)
  const own = isInside(path, output) ? `${relativePath(path, output)}/` : undefined
  const tree = await readProviderTree(root, files)
  const content = own === undefined ? tree : tree.filter((file) => !file.path.startsWith(own))
  const file = {
    name: joinPath(path, configFile),
    bytes: content.find((one) => one.path === configFile)?.bytes ?? new Uint8Array(),
  }
  if (configFile === STACK_DOCUMENT) {
    const { provider, stack, row } = parseStackDocument(file)
    const name = { provider, stack, kubernetes: row.kubernetes }
    const folder = { path, configFile, kubernetesVersion: row.kubernetesVersion, name, files: content }
    return applyRow(folder, row)
  }
  const { provider, stack, kubernetes, kubernetesVersion, findings } = parseStackConfig(file.bytes, file.name)
  return {
    folder: { path, configFile, kubernetesVersion, name: { provider, stack, kubernetes }, files: content },
    findings,
  }
}

/** A folder one above, of the layout with a folder per Kubernetes minor, gets the names of those folders. */
async function noConfig(path: string, files: Files): Promise<Error> {
  const root = await openFolder(path, files)
  const below: string[] = []
  for (const { name, type } of await listFolder(root, files)) {
    if (type !== 'directory') continue
    const names = (await files.entries(joinPath(root.root, name))).map((entry) => entry.name)
    if (CONFIGS.some((config) => names.includes(config))) below.push(name)
  }
  const [first] = below
  const message = `this is not a provider directory: it has none of ${CONFIGS.join(', ')}`
  const hint =
    first === undefined
      ? 'A provider directory holds csctl.yaml, cluster-class/ and cluster-addon/.'
      : `These below it are: ${below.join(', ')}. Build one of them.`
  return inputProblem(message, { file: path, hint })
}
