import { isObject } from '../../../../json.ts'
import { plainNumber } from '../../../../outputs/exact-json.ts'

/** An argument. Numbers are objects that keep how they were written. */
export type Value = unknown

/** A value in one of the three forms that parameters are written in. Members without a value are left out. */
export type Parts = { one: string } | { list: string[] } | { members: [name: string, value: string][] }

export function partsOf(value: Value): Parts {
  if (Array.isArray(value)) return { list: value.filter(isGiven).map(textOf) }
  if (isMembers(value)) return { members: membersOf(value).map(([name, member]) => [name, textOf(member)]) }
  return { one: textOf(value) }
}

/** A plain value as it is written, and anything else as JSON. */
export function textOf(value: Value): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

export const isGiven = (value: Value): boolean => value !== undefined && value !== null

export const isMembers = (value: Value): value is Record<string, Value> =>
  isObject(value) && typeof plainNumber(value) !== 'number'

export const membersOf = (value: Record<string, Value>): [string, Value][] =>
  Object.entries(value).filter(([, member]) => isGiven(member))

/** A value of any depth as names in brackets: `filter[status][0]`. */
export function bracketed(name: string, value: Value): [name: string, value: string][] {
  if (Array.isArray(value)) return value.flatMap((item, index) => bracketed(`${name}[${index}]`, item))
  if (isMembers(value)) return membersOf(value).flatMap(([key, member]) => bracketed(`${name}[${key}]`, member))
  return isGiven(value) ? [[name, textOf(value)]] : []
}
