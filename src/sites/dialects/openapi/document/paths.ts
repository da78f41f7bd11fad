import { Unusable } from './documents.ts'

const longest = 1000
const template = /\{([^{}/]{1,200})\}/g

/** The names of the parameters in a path (OpenAPI 3.1, 4.8.8.2). */
export const pathNames = (path: string): string[] => [...path.matchAll(template)].map(([, name = '']) => name)

/** Throws if a path would change meaning behind the server's address, or lead to another one. */
export function checkPath(path: string): void {
  if (path.length > longest) throw new Unusable(`has a path of more than ${longest} characters`)
  const plain = path.replaceAll(template, 'x')
  if (/[?#\\{}\s\p{C}]/u.test(plain)) throw new Unusable('has a path with signs that a path cannot have')
  const leaves = plain.startsWith('//') || /\/(?:\.|%2e){1,2}(?:\/|$)/i.test(plain)
  if (leaves) throw new Unusable('has a path that leads out of its server')
}
