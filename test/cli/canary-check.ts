import { CANARY, type CanaryCase, CLUSTER, type Files, VALUES } from './canary-fleet.ts'

const topology = (lines: string): Files => ({
  [CLUSTER]: { replace: '  topology:\n', by: `  topology:\n${lines}` },
})
const CLASS = 'providers/docker/starter/cluster-class/templates/cluster-class.yaml'
const ofClass = (variable: string): Files => ({
  [CLASS]: { replace: 'spec:\n', by: `spec:\n  variables: [${variable}]\n` },
})

/** Faults that rules of check find, with secrets beside them. */
export const checkCases: Readonly<Record<string, CanaryCase>> = {
  'a class variable that is none': {
    code: 'CLASS_VARIABLE_UNKNOWN',
    words: ['check'],
    files: topology(`    variables: [{name: proxy, value: {password: ${CANARY}}}]\n`),
  },
  'a class variable of the wrong type': {
    code: 'CLASS_VARIABLE_INVALID',
    words: ['check'],
    files: {
      ...ofClass('{name: token, required: false, schema: {openAPIV3Schema: {type: string, maxLength: 3}}}'),
      ...topology(`    variables: [{name: token, value: ${CANARY}}]\n`),
    },
  },
  'a class variable that is missing': {
    code: 'CLASS_VARIABLE_MISSING',
    words: ['check'],
    files: {
      ...ofClass('{name: token, required: true, schema: {openAPIV3Schema: {type: string}}}'),
      [CLUSTER]: { replace: 'version: v1.34.7', by: `version: v1.34.7 # token: ${CANARY}` },
    },
  },
  'a worker class that is none': {
    code: 'WORKER_CLASS_UNKNOWN',
    words: ['check'],
    files: { [CLUSTER]: { replace: 'class: default-worker', by: `class: x # token: ${CANARY}` } },
  },
  'a key of values that no template reads': {
    code: 'VALUES_KEY_UNREAD',
    words: ['check'],
    files: { [VALUES]: `mesage: ${CANARY}\nfoo: {password: ${CANARY}}\n` },
  },
}
