import { isObject } from '../../../../json.ts'
import { isStorable } from '../../../../text.ts'
import { membersOf, spend, TooLarge, type Copying } from './copying.ts'

const deepest = 10

type Budgeted = Pick<Copying, 'budget'>

/**
 * A copy of a value in a schema, such as a list of allowed values; undefined if it is too long, cannot be stored, or is
 * nested more than ten levels deep. Parts of a document may be shared, or contain themselves, so only copying it shows
 * its size. Throws TooLarge if nothing is left for it.
 */
export function copyConstant(value: unknown, copying: Copying): unknown {
  const own = { budget: { characters: copying.detail.constant } }
  const copied = tryCopy(value, own)
  spend(copying, copying.detail.constant - Math.max(0, own.budget.characters))
  return copied
}

function tryCopy(value: unknown, own: Budgeted): unknown {
  try {
    return copyData(value, own, 0)
  } catch (error) {
    if (error instanceof TooLarge) return undefined
    throw error
  }
}

function copyData(value: unknown, copying: Budgeted, level: number): unknown {
  spend(copying, typeof value === 'string' ? value.length + 3 : 6)
  if (typeof value === 'string') return isStorable(value) ? value : undefined
  if (value === null || typeof value === 'boolean') return value
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined
  if (level === deepest) return undefined
  if (Array.isArray(value)) return allOrNone(value.map((item) => copyData(item, copying, level + 1)))
  return isObject(value) ? copyObject(value, copying, level) : undefined
}

function copyObject(object: Record<string, unknown>, copying: Budgeted, level: number): unknown {
  const names = membersOf(object)
  if (names.some((name) => name === '__proto__' || !isStorable(name))) return undefined
  const values = names.map((name) => {
    spend(copying, name.length + 3)
    return copyData(object[name], copying, level + 1)
  })
  return allOrNone(values) && Object.fromEntries(names.map((name, index) => [name, values[index]]))
}

const allOrNone = (values: unknown[]): unknown[] | undefined => (values.includes(undefined) ? undefined : values)
