import * as v from 'valibot'
import { consoleHome } from '../../src/console-pages.ts'
import { text } from './schemas.ts'

const here = 'https://here.example'

/**
 * A path on this platform. Browsers read a path that starts with two slashes or a backslash as another host, and
 * `/.//host` becomes such a path once it is parsed.
 */
const isLocal = (path: string): boolean => {
  const { origin, pathname = '' } = URL.parse(path, here) ?? {}
  return /^\/(?![/\\])[^\\\s\p{C}]*$/u.test(path) && origin === here && !pathname.startsWith('//')
}

/** The path as a browser reads it: without `..`. */
const isInConsole = (path: string): boolean =>
  isLocal(path) && `${URL.parse(path, here)?.pathname ?? ''}/`.startsWith(`${consoleHome}/`)

export const localPath = v.pipe(text(512), v.check(isLocal, 'must be a path on this platform, such as /console'))

export const consolePath = v.pipe(text(512), v.check(isInConsole, 'must be a path of the console, such as /console'))

/** A path of this platform with one more search parameter. */
export function withParameter(path: string, name: string, value: string): string {
  const { pathname, searchParams, hash } = new URL(path, here)
  searchParams.set(name, value)
  return `${pathname}?${searchParams.toString()}${hash}`
}
