import type { ErrorDetail } from '../errors.ts'
import { joinPath, jsonDepth } from '../json.ts'
import { isStorable } from '../text.ts'

const maxNameLength = 500

/** The cost of validating a tool call's arguments, and their problems. */
export interface ArgumentSize {
  /** The number of values, plus the length of long texts and names. */
  weight: number
  longestList: number
  names: Set<string>
  problems: ErrorDetail[]
}

/** Measures arguments without recursion, so that deep nesting cannot overflow the stack. */
export function argumentSize(args: unknown): ArgumentSize {
  const size: ArgumentSize = { weight: 0, longestList: 0, names: new Set(), problems: [] }
  const stack = [{ value: args, path: '', depth: 0 }]
  for (let next = stack.pop(); next; next = stack.pop()) {
    const { value, path, depth } = next
    size.weight += 1 + (typeof value === 'string' ? value.length / 128 : 0)
    if (typeof value === 'string' && !isStorable(value)) size.problems.push({ path, message: unstorable })
    if (typeof value !== 'object' || value === null) continue
    if (depth >= jsonDepth) {
      size.problems.push({ path: '', message: `must not be nested more than ${jsonDepth} levels deep` })
      break
    }
    countMembers(value, path, size)
    for (const [key, member] of Object.entries(value)) {
      stack.push({ value: member, path: joinPath(path, key), depth: depth + 1 })
    }
  }
  return size
}

const unstorable = 'contains the character U+0000 or half of a surrogate pair'

function countMembers(value: object, path: string, size: ArgumentSize): void {
  if (Array.isArray(value)) {
    size.longestList = Math.max(size.longestList, value.length)
    return
  }
  for (const name of Object.keys(value)) {
    size.names.add(name)
    size.weight += name.length / 64
    if (name.length <= maxNameLength && isStorable(name)) continue
    size.problems.push({ path: joinPath(path, name), message: 'is not an allowed property name' })
  }
}
