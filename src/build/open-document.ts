import type { ReadDocument } from '../codec/yaml/positioned-yaml.ts'
import { type EditableYaml, openYaml, type YamlFile } from '../edit/open-yaml.ts'
import { inputProblem } from './build-input.ts'

/** A YAML file of one document, read for editing. */
export interface EditableDocument extends Pick<ReadDocument, 'value' | 'spanOf'>, Pick<EditableYaml, 'edit'> {}

/**
 * Opens a YAML file of a provider directory.
 * @throws StackmasonError BUILD_INPUT_INVALID when it does not parse or is not one document
 */
export function openDocument(file: YamlFile): EditableDocument {
  const { source, documents, edit } = openYaml(file, 'BUILD_INPUT_INVALID')
  const [document, second] = documents
  if (document !== undefined && second === undefined) {
    return { value: document.value, spanOf: document.spanOf, edit }
  }
  throw inputProblem('the file must hold one document', { at: second?.span ?? { source, start: 0, end: 0 } })
}
