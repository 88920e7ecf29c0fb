import { describe, expect, test } from 'vitest'
import { lab } from '../../tools/fleets/lab-fleet.ts'
import { checkLab } from './check-lab.ts'

const infrastructure = 'apiVersion: infrastructure.cluster.x-k8s.io/v1beta1'
const control = 'apiVersion: controlplane.cluster.x-k8s.io/v1beta1, kind: KubeadmControlPlaneTemplate'
const bootstrap = 'apiVersion: bootstrap.cluster.x-k8s.io/v1beta1, kind: KubeadmConfigTemplate'

/** The definition of the machines, which says which fields they have. */
const DEFINITION = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: dockermachinetemplates.infrastructure.cluster.x-k8s.io}
spec:
  group: infrastructure.cluster.x-k8s.io
  names: {kind: DockerMachineTemplate, plural: dockermachinetemplates}
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
              properties:
                template:
                  type: object
                  properties:
                    metadata: {type: object, x-kubernetes-preserve-unknown-fields: true}
                    spec:
                      type: object
                      properties:
                        customImage: {type: string}
                        bootstrapTimeout: {type: string}
                        labels: {type: object, additionalProperties: {type: string}}
                        tags: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [name], items: {type: object, required: [name], properties: {name: {type: string}}}}
                        network: {type: object, minProperties: 1, properties: {id: {type: string, maxLength: 3}}}
                        mounts:
                          type: array
                          items:
                            type: object
                            required: [hostPath]
                            properties: {hostPath: {type: string}, readOnly: {type: boolean}}
`

/** The class of the lab with one operation on the machines of its workers. */
const classWith = (entry: string, apiVersion = infrastructure): string => `apiVersion: cluster.x-k8s.io/v1beta1
kind: ClusterClass
metadata: {name: {{ .Release.Name }}-{{ .Chart.Version }}}
spec:
  infrastructure: {ref: {${infrastructure}, kind: DockerClusterTemplate, name: lab-cluster}}
  controlPlane: {ref: {${control}, name: lab-control-plane}}
  workers:
    machineDeployments:
      - {class: default-worker, template: {bootstrap: {ref: {${bootstrap}, name: lab-worker}}, infrastructure: {ref: {${infrastructure}, kind: DockerMachineTemplate, name: lab-worker}}}}
  variables: [{name: image, required: false, schema: {openAPIV3Schema: {type: string}}}]
  patches:
    - name: machines
      definitions:
        - selector: {${apiVersion}, kind: DockerMachineTemplate, matchResources: {machineDeploymentClass: {names: [default-worker]}}}
          jsonPatches: [{${entry}}]
`

const below = '/spec/template/spec'
const said = 'ClusterClass docker-lab-1-34-v1: patch "machines"'

const rows: readonly (readonly [what: string, entry: string, ...found: readonly string[]])[] = [
  ['a field', `op: add, path: ${below}/customImage, valueFrom: {variable: image}`],
  ['an item', `op: add, path: ${below}/mounts/-, value: {hostPath: /a, readOnly: true}`],
  ['a field of the first item', `op: add, path: ${below}/mounts/0/readOnly, value: true`],
  ['a key of a map', `op: add, path: ${below}/labels/example.org~1a, value: b`],
  ['whatever is kept', 'op: add, path: /spec/template/metadata/labels, value: {a: b}'],
  ['a part of an item, which another patch completes', `op: add, path: ${below}/mounts/-, value: {readOnly: true}`],
  ['an empty map, which other patches fill', `op: add, path: ${below}/network, value: {}`],
  ['what is removed, whatever its value', `op: remove, path: ${below}/customImage, value: 3`],
  [
    'a misspelt field',
    `op: replace, path: ${below}/costumImage, value: a`,
    `15:45 ${said} changes a field that DockerMachineTemplate does not have: "costumImage" → Did you mean customImage?`,
  ],
  [
    'a misspelt field on the way',
    'op: add, path: /spec/tempalte/spec/customImage, value: a',
    `15:41 ${said} changes a field that DockerMachineTemplate does not have: "tempalte" → Did you mean template?`,
  ],
  [
    'a field below a text',
    `op: add, path: ${below}/customImage/name, value: a`,
    `15:41 ${said} changes a field that DockerMachineTemplate does not have: "name" → Correct the patch. If clusters use the class, publish a new version of the release.`,
  ],
  [
    'a name where items have numbers',
    `op: add, path: ${below}/mounts/first, value: {hostPath: /a}`,
    `15:41 ${said} changes a field that DockerMachineTemplate does not have: "first" → Correct the patch. If clusters use the class, publish a new version of the release.`,
  ],
  [
    'a value of another type',
    `op: add, path: ${below}/customImage, value: 3`,
    `15:81 ${said} sets a value that DockerMachineTemplate does not take: it has to be text → Correct the patch. If clusters use the class, publish a new version of the release.`,
  ],
  [
    'a text that is too long',
    `op: add, path: ${below}/network, value: {id: abcd}`,
    `15:82 ${said} sets id that DockerMachineTemplate does not take: it has to be at most 3 characters → Correct the patch. If clusters use the class, publish a new version of the release.`,
  ],
  [
    'two items of one name',
    `op: add, path: ${below}/tags, value: [{name: a}, {name: a}]`,
    `15:86 ${said} sets [1] that DockerMachineTemplate does not take: it has the same name as an item before it → Correct the patch. If clusters use the class, publish a new version of the release.`,
  ],
  [
    'a misspelt field in a value',
    `op: add, path: ${below}/mounts/-, value: {hostpath: /a}`,
    `15:89 ${said} sets hostpath that DockerMachineTemplate does not take: there is no such field → Did you mean hostPath?`,
  ],
]

describe('patches of a class and the definition of the kind', () => {
  test.each(rows)('%s', async (_what, entry, ...found) => {
    const lines = await checkLab({ files: { [lab.class]: classWith(entry), 'crds/docker.yaml': DEFINITION } })
    const own = lines.filter((line) => line.startsWith('error '))
    expect(own).toEqual(
      found.map((line) => {
        const space = line.indexOf(' ')
        const [place, rest] = [line.slice(0, space), line.slice(space + 1)]
        return `error CLASS_PATCH_INVALID ${lab.class}:${place} ${rest.replace(' → ', ' [docker-lab-1-34-v1] → ')}`
      }),
    )
  })

  test('nothing is said where no definition is known', async () => {
    const found = await checkLab({ files: { [lab.class]: classWith(`op: add, path: ${below}/costumImage, value: 3`) } })
    expect(found.filter((line) => line.startsWith('error '))).toEqual([])
  })
})
