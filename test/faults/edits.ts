import type { Node } from 'oxc-parser'

/** What takes the place of a part of the text. */
interface Change {
  start: number
  end: number
  text: string
}

/** An edit of one node, which an esquery selector finds. */
export interface Edit {
  selector: string
  /** `ancestors`: the nearest first. Throws a sentence if the node cannot be edited so. */
  change: (node: Node, ancestors: Node[], source: string) => Change
}

/** Selects calls of a function: an imported one, or any of the name. */
export const calling = (callee: ((...given: never[]) => unknown) | string): string => {
  const name = typeof callee === 'string' ? callee : callee.name
  return `CallExpression:matches([callee.name="${name}"], [callee.property.name="${name}"])`
}

/** Leaves out a statement, an operand of `&&` or `||`, or an entry of a list: an argument, an element, a property. */
export const without = (selector: string): Edit => ({ selector, change: removal })

/** Leaves out a link of a chain of calls: `query.forUpdate().first()` becomes `query.first()`. */
export const unchained = (name: string, having = ''): Edit => ({
  selector: `CallExpression[callee.property.name="${name}"]${having}`,
  change: ({ end, ...call }) => {
    if (call.type !== 'CallExpression' || call.callee.type !== 'MemberExpression') throw new Error('it is no link')
    return { start: call.callee.object.end, end, text: '' }
  },
})

/** Replaces an expression by a short one. */
export const instead = (text: string, selector: string): Edit => ({
  selector,
  change: ({ start, end }) => ({ start, end, text }),
})

/** Replaces a call by one of its arguments: nothing is done with it. */
export const unwrapped = (selector: string, which: 'first' | 'last'): Edit => ({
  selector,
  change: (call, _, source) => {
    const argument = call.type === 'CallExpression' ? call.arguments.at(which === 'first' ? 0 : -1) : undefined
    if (!argument) throw new Error('it is no call with an argument')
    return { start: call.start, end: call.end, text: `(${textOf(argument, source)})` }
  },
})

/** Makes a condition hold always, or never. */
export const always = (value: boolean, selector: string): Edit => instead(String(value), selector)

/** Exchanges a statement, or an entry of a list, and the one that follows it. */
export const swapped = (selector: string): Edit => ({
  selector,
  change: (node, ancestors, source) => {
    const { entry, siblings } = listed(node, ancestors)
    const next = siblings[siblings.indexOf(entry) + 1]
    if (!next) throw new Error('nothing follows it')
    const between = source.slice(entry.end, next.start)
    return { start: entry.start, end: next.end, text: textOf(next, source) + between + textOf(entry, source) }
  },
})

/** Replaces words of a text, such as a part of an SQL statement. Only one text may have them. */
export const reworded = (words: string, others: string): Edit => {
  const pattern = words.replaceAll(/[^\w\s]/g, (sign) => `\\x${sign.charCodeAt(0).toString(16).padStart(2, '0')}`)
  return {
    selector: `:matches(TemplateElement[value.raw=/${pattern}/], Literal[raw=/${pattern}/])`,
    change: ({ start, end }, _, source) => {
      const parts = source.slice(start, end).split(words)
      if (parts.length !== 2) throw new Error(`"${words}" occurs ${parts.length - 1} times in it`)
      return { start, end, text: parts.join(others) }
    },
  }
}

const textOf = ({ start, end }: Node, source: string): string => source.slice(start, end)

function removal(node: Node, ancestors: Node[], source: string): Change {
  const [parent] = ancestors
  if (parent?.type === 'LogicalExpression') {
    const other = parent.left === node ? parent.right : parent.left
    return { start: parent.start, end: parent.end, text: `(${textOf(other, source)})` }
  }
  const { entry, siblings } = listed(node, ancestors)
  const next = siblings[siblings.indexOf(entry) + 1]
  const before = siblings[siblings.indexOf(entry) - 1]
  if (entry.type.endsWith('Statement')) return { start: entry.start, end: entry.end, text: '' }
  if (next) return { start: entry.start, end: next.start, text: '' }
  return { start: before?.end ?? entry.start, end: entry.end, text: '' }
}

/** The statement or entry that the node is, or that consists of the node alone, and those beside it. */
function listed(node: Node, ancestors: Node[]): { entry: Node; siblings: Node[] } {
  const [parent, ...further] = ancestors
  const lists = parent ? (Object.values(parent).filter(Array.isArray) as Node[][]) : []
  const siblings = lists.find((list) => list.includes(node))
  if (siblings) return { entry: node, siblings }
  if (parent && /^(Await|Chain|Unary)Expression$|^ExpressionStatement$/.test(parent.type))
    return listed(parent, further)
  throw new Error('it is neither a statement, nor an operand, nor an entry of a list')
}
