import { describe, expect, test } from 'vitest'
import { lab, labCluster, labFleet } from '../../tools/fleets/lab-fleet.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { checkLab } from './check-lab.ts'

const own = 'apiVersion: stackmason.dev/v1alpha1\nkind: Addons\nspec: {addons: [{name: own, templates: {path: own}}]}\n'

/** Mistakes that render without a word. */
const mistakes: readonly {
  readonly name: string
  readonly files: Readonly<Record<string, string>>
  readonly codes: readonly string[]
}[] = [
  {
    name: 'a class variable, misspelt',
    files: { [lab.cluster]: labCluster(['variables: [{name: replica, value: 1}]']) },
    codes: ['CLASS_VARIABLE_UNKNOWN'],
  },
  {
    name: 'a class variable of the wrong type',
    files: { [lab.cluster]: labCluster(['variables: [{name: replicas, value: three}]']) },
    codes: ['CLASS_VARIABLE_INVALID'],
  },
  {
    name: 'a worker class that is none',
    files: { [lab.cluster]: labCluster(['workers: {machineDeployments: [{class: worker, name: a}]}']) },
    codes: ['WORKER_CLASS_UNKNOWN'],
  },
  { name: 'a key of values, misspelt', files: { [lab.values]: 'mesage: x\n' }, codes: ['VALUES_KEY_UNREAD'] },
  {
    name: 'a field of an own object, misspelt',
    files: {
      [lab.addons]: own,
      'clusters/team/one/own/a.yaml.hbs':
        'apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: own}\nautomountServiceAccountTokn: false\n',
    },
    codes: ['OBJECT_FIELD_UNKNOWN'],
  },
]

describe('mistakes that render without a word are found:', () => {
  test.each(mistakes)('$name', async ({ files, codes }) => {
    const fleet = labFleet(await tempFolder())
    fleet.change(files)
    expect((await fleet.render()).findings).toEqual([])
    expect((await checkLab({ files })).map((line) => line.split(' ')[1])).toEqual(codes)
  })
})
