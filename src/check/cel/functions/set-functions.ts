import { type CelData, type CelFunction, celFunction, isEqualData, isList } from '../cel-values.ts'

/** `sets.contains(a, b)` and the like (cel-go, `ext.Sets`). */
export const setFunctions: readonly CelFunction[] = [
  celFunction('sets.contains', ['list', 'list'], ([list, part]) => contains(list, part)),
  celFunction('sets.equivalent', ['list', 'list'], ([one, other]) => contains(one, other) && contains(other, one)),
  celFunction('sets.intersects', ['list', 'list'], ([one, other]) =>
    itemsOf(one).some((item) => itemsOf(other).some((wanted) => isEqualData(item, wanted))),
  ),
]

function itemsOf(list: CelData | undefined): readonly CelData[] {
  return isList(list) ? list : []
}

function contains(list: CelData | undefined, part: CelData | undefined): boolean {
  return itemsOf(part).every((wanted) => itemsOf(list).some((item) => isEqualData(item, wanted)))
}
