import { problemOf } from '../../../api/problem.ts'

/** The sentences about a field and what is inside it: `sites` also stands for `sites.0.tools`. */
export function problemAt(error: unknown, field: string): string | undefined {
  if (!error) return undefined
  const found = problemOf(error).details.filter(({ path }) => path === field || isInside(path, field))
  if (found.length === 0) return undefined
  return found
    .map(({ path, message }) => (path === field ? message : `${path.slice(field.length + 1)}: ${message}`))
    .join(' ')
}

const isInside = (path: string, field: string): boolean =>
  path.startsWith(field) && /[.[/]/.test(path.charAt(field.length))
