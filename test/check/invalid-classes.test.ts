import { expect, test } from 'vitest'
import { lab } from '../../tools/fleets/lab-fleet.ts'
import { checkLab } from './check-lab.ts'
import { classRows } from './invalid-class-rows.ts'

test.each(classRows)('%s', async (_what, text, ...says) => {
  const found = await checkLab({ files: { [lab.class]: text } })
  const own = found.filter((line) => !line.includes(' VALUES_') && !line.startsWith('note '))
  const short = own.map((line) =>
    line.replace(/ \[[^\]]*\] → Correct the class\. If .*$/, '').replace(/ \[[^\]]*\] → /, ' → '),
  )
  const want = says.map((text_) => text_.replace(/ → Correct the class\. If .*$/, ''))
  expect(short.map((line) => line.replace(/^error CLASS_INVALID \S+:\d+:\d+ ClusterClass [^:]+: /, ''))).toEqual(want)
})

/** What the definition of ClusterClasses itself says of operations and of types. */
const DEFINITION = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: clusterclasses.cluster.x-k8s.io}
spec:
  group: cluster.x-k8s.io
  names: {kind: ClusterClass, plural: clusterclasses}
  scope: Namespaced
  versions:
    - name: v1beta1
      served: true
      storage: true
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec:
              type: object
              x-kubernetes-preserve-unknown-fields: true
              properties:
                workers:
                  type: object
                  properties:
                    machineDeployments:
                      type: array
                      x-kubernetes-list-type: map
                      x-kubernetes-list-map-keys: [class]
                      items:
                        type: object
                        required: [class]
                        x-kubernetes-preserve-unknown-fields: true
                        properties: {class: {type: string}}
                patches:
                  type: array
                  items:
                    type: object
                    x-kubernetes-preserve-unknown-fields: true
                    properties:
                      definitions:
                        type: array
                        items:
                          type: object
                          x-kubernetes-preserve-unknown-fields: true
                          properties:
                            jsonPatches:
                              type: array
                              items:
                                type: object
                                properties:
                                  op: {type: string, enum: [add, replace, remove]}
                                  path: {type: string}
                                  value: {x-kubernetes-preserve-unknown-fields: true}
`

test.each([
  [
    'another operation',
    'error OBJECT_FIELD_INVALID ClusterClass team/docker-lab-1-34-v1: spec.patches[0].definitions[0].jsonPatches[0].op has to be one of add, replace, remove',
  ],
  [
    'two classes of workers of one name',
    'error OBJECT_FIELD_INVALID ClusterClass team/docker-lab-1-34-v1: spec.workers.machineDeployments[1] has the same class as an item before it',
  ],
  [
    'what is no part of spec',
    'error CLASS_INVALID ClusterClass docker-lab-1-34-v1: patch "p" changes something outside of spec',
  ],
])('one finding where the definition refuses it, too: %s', async (name, says) => {
  const [, text = ''] = classRows.find(([what]) => what === name) ?? []
  const found = await checkLab({ files: { [lab.class]: text, 'crds/core.yaml': DEFINITION } })
  const errors = found.filter((line) => line.startsWith('error '))
  expect(errors.map((line) => line.replace(/ \[.*$/, '').replace(/ \S+:\d+:\d+ /, ' '))).toEqual([says])
})
