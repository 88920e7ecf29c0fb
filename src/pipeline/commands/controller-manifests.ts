import { decodeUtf8, encodeUtf8 } from '../../codec/bytes/utf8.ts'
import { joinPath } from '../../codec/path.ts'
import { installFiles, type InstallFile } from '../../install/install-manifests.ts'
import type { InstallOptions } from '../../model/install-options.ts'
import { StackmasonError } from '../../model/diagnostic.ts'
import { FileError, type PackageFiles, type Ports } from '../../model/ports.ts'

/** Files of the package that define our kinds. */
const DEFINITIONS = 'templates/crds'

/**
 * The objects that install the controller, as one text of YAML; with a folder they are written there, with a kustomization.yaml, and the names of the files are
 * the text.
 * @throws StackmasonError WRITE_FAILED
 */
export async function controllerManifests(
  options: InstallOptions,
  folder: string | undefined,
  { files, packageFiles }: Pick<Ports, 'files' | 'packageFiles'>,
): Promise<string> {
  const written = installFiles(options, await readDefinitions(packageFiles))
  if (folder === undefined) return written.map(({ text }) => text).join('---\n')
  for (const { name, text } of [...written, kustomization(written)]) {
    const file = joinPath(folder, name)
    try {
      await files.write(file, encodeUtf8(text))
    } catch (cause) {
      if (!(cause instanceof FileError)) throw cause
      const message = `the file could not be written: ${cause.reason}`
      throw new StackmasonError({ code: 'WRITE_FAILED', severity: 'error', message, file }, { cause })
    }
  }
  return [...written.map(({ name }) => name), 'kustomization.yaml']
    .map((name) => `${joinPath(folder, name)}\n`)
    .join('')
}

async function readDefinitions(packageFiles: PackageFiles): Promise<readonly InstallFile[]> {
  const names = await packageFiles.names(DEFINITIONS)
  return Promise.all(
    names.map(async (name) => ({ name, text: decodeUtf8(await packageFiles.read(`${DEFINITIONS}/${name}`)) })),
  )
}

function kustomization(files: readonly InstallFile[]): InstallFile {
  const resources = files.map(({ name }) => `  - ${name}\n`).join('')
  return {
    name: 'kustomization.yaml',
    text: `apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources:\n${resources}`,
  }
}
