import type { CheckInputs } from '../../check/check-inputs.ts'
import { readBuiltInSchemas } from '../../check/schema/built-in-schemas.ts'
import { decodeUtf8 } from '../../codec/bytes/utf8.ts'
import { parseGoYaml } from '../../codec/go-yaml/go-yaml-parse.ts'
import type { PackageFiles } from '../../model/ports.ts'
import { Dict } from '../../model/value.ts'

const KUBERNETES = 'templates/kubernetes/schemas.txt'
const OWN_DEFINITIONS = 'templates/crds'

/** Reads what rules of check know besides the units: it comes with the program. */
export async function readCheckInputs(packageFiles: PackageFiles): Promise<CheckInputs> {
  const text = async (path: string): Promise<string> => decodeUtf8(await packageFiles.read(path))
  const names = await packageFiles.names(OWN_DEFINITIONS)
  const own = await Promise.all(names.map(async (name) => parseGoYaml(await text(`${OWN_DEFINITIONS}/${name}`))))
  return {
    builtIn: readBuiltInSchemas(await text(KUBERNETES)),
    definitions: own.filter((definition) => definition instanceof Dict),
  }
}
