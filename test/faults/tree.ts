import esquery from 'esquery'
import { parseSync, visitorKeys, type Node } from 'oxc-parser'
import type { Edit } from './edits.ts'

/** Where an edit is made, inside of a file. */
export interface Spot {
  /** The exported name. */
  name: string
  method?: string | undefined
  edit: Edit
}

/**
 * The text with the edit in it. The selector must find one node: in the method, or else in the exported declaration, or
 * else in the file. So a node may move to a function of its own. Throws a sentence if there is no such node, or several,
 * or if the edited text is no TypeScript.
 */
export function edited(text: string, { name, method, edit }: Spot): string {
  const program = parsed(text)
  const { node, ancestors } = theOne(found(program, edit.selector), scopesOf(program, name, method))
  const { start, end, text: part } = edit.change(node, ancestors, text)
  const result = text.slice(0, start) + part + text.slice(end)
  if (result === text) throw new Error('the edit changes nothing')
  parsed(result)
  return result
}

function parsed(text: string): Node {
  const { program, errors } = parseSync('planted.ts', text, { preserveParens: false })
  if (errors[0]) throw new Error(`it cannot be parsed: ${errors[0].message}`)
  return program
}

interface Found {
  node: Node
  ancestors: Node[]
}

function found(program: Node, selector: string): Found[] {
  const nodes: Found[] = []
  const visit = (node: unknown, _: unknown, ancestors: unknown[]) =>
    void nodes.push({ node: node as Node, ancestors: [...ancestors] as Node[] })
  const tree = program as Parameters<typeof esquery.traverse>[0]
  esquery.traverse(tree, esquery.parse(selector), visit, { visitorKeys })
  return nodes
}

/** The narrowest first. */
function scopesOf(program: Node, name: string, method: string | undefined): Node[] {
  const declarations = found(
    program,
    `ExportNamedDeclaration > :matches([id.name="${name}"], VariableDeclaration:has(> [id.name="${name}"]))`,
  )
  const methods = found(
    program,
    `:matches(Property[value.type=/Function/][key.name="${method}"], FunctionDeclaration[id.name="${method}"], VariableDeclarator[id.name="${method}"])`,
  )
  return [...(methods.length === 1 ? methods : []), ...declarations].map(({ node }) => node).concat(program)
}

function theOne(nodes: Found[], narrowestFirst: Node[]): Found {
  const inside = narrowestFirst.map(({ start, end }) =>
    nodes.filter(({ node }) => start <= node.start && node.end <= end),
  )
  const [first, ...others] = inside.find(({ length }) => length > 0) ?? []
  if (!first) throw new Error('the selector finds nothing')
  if (others.length > 0) throw new Error(`the selector finds ${others.length + 1} nodes`)
  return first
}
