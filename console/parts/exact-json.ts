/** JSON as it was written. `JSON.parse` would round long numbers and keep only the last of several equal names. */

const tokens = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g
const opening = new Set(['{', '['])
const closing = new Set(['}', ']'])

export interface Member {
  name: string
  /** The JSON text of its value. */
  json: string
}

/** The members of a JSON object in their order, also those with equal names. A text that is not an object has none. */
export function membersOf(json: string): Member[] {
  if (!json.trimStart().startsWith('{')) return []
  const members: Member[] = []
  let [depth, start, end] = [0, 0, 0]
  let name: string | undefined
  for (const { 0: token, index } of json.matchAll(tokens)) {
    if (depth === 1 && name === undefined && token.startsWith('"')) name = JSON.parse(token) as string
    else if (depth === 1 && token === ':') start = index + 1
    else if (depth === 1 && name !== undefined && (token === ',' || token === '}')) {
      members.push({ name, json: json.slice(start, end).trim() })
      name = undefined
    }
    end = index + token.length
    depth += stepOf(token)
  }
  return members
}

const stepOf = (token: string): number => (opening.has(token) ? 1 : closing.has(token) ? -1 : 0)

/** The same JSON with a line for each member and each item. Every token stays as it was written. */
export function indented(json: string): string {
  let depth = 0
  let before = ''
  let text = ''
  const newLine = () => `\n${'  '.repeat(depth)}`
  for (const [token] of json.matchAll(tokens)) {
    depth += Math.min(stepOf(token), 0)
    const isEmpty = opening.has(before) && closing.has(token)
    if (!isEmpty && (opening.has(before) || closing.has(token) || before === ',')) text += newLine()
    text += token === ':' ? ': ' : token
    depth += Math.max(stepOf(token), 0)
    before = token
  }
  return text
}

/** A value for a table. `isText`: the words of a string without quotes; otherwise JSON. */
export interface Row {
  name: string
  value: string
  isText: boolean
}

const mostRows = 40

/** The members of an object as rows of a table; undefined if values have members of their own, or if there are many. */
export function flatRows(json: string): Row[] | undefined {
  const members = membersOf(json)
  const isFlat = members.every((member) => !/^[{[]/.test(member.json) || /^(?:\{\s*\}|\[\s*\])$/.test(member.json))
  return isFlat && members.length <= mostRows ? members.map(rowOf) : undefined
}

/** A string that could be taken for another value, or that starts or ends with space, keeps its quotes. */
function rowOf({ name, json }: Member): Row {
  if (!json.startsWith('"')) return { name, value: json, isText: false }
  const text = JSON.parse(json) as string
  const isClear =
    text.trim() === text && !/^(?:|true|false|null|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|\{.*\}|\[.*\]|".*")$/s.test(text)
  return isClear ? { name, value: text, isText: true } : { name, value: json, isText: false }
}
