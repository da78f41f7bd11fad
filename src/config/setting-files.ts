import { readFileSync } from 'node:fs'

const isPath = (name: string): boolean => name.endsWith('_FILE')

/** The variable that may name a file with another variable's value; none for a setting that is a path itself. */
export const fileVariableOf = (name: string): string | undefined => (isPath(name) ? undefined : `${name}_FILE`)

/**
 * The variables with the contents of their files (`<name>_FILE`), and a sentence for each unusable file. Containers
 * provide secrets as files, because `inspect`, `ps` and child processes see environments.
 */
export function withFiles(env: Record<string, string>, names: readonly string[]) {
  const problems: string[] = []
  const read: Record<string, string> = { ...env }
  for (const name of names) {
    const variable = fileVariableOf(name)
    const path = variable && read[variable]
    if (variable === undefined || path === undefined) continue
    delete read[variable]
    if (env[name] !== undefined) problems.push(`${variable} and ${name} are both set. Set only one of them`)
    else read[name] = contentOf(path, (problem) => problems.push(`${variable} names ${path}, which ${problem}`))
  }
  return { env: read, problems }
}

/** The content without the final line break of editors; empty if unreadable. No message quotes it. */
export function contentOf(path: string, refuse: (problem: string) => void): string {
  try {
    const content = readFileSync(path, 'utf8').trim()
    if (content === '') refuse('is empty')
    return content
  } catch (error) {
    refuse(`cannot be read (${(error as NodeJS.ErrnoException).code})`)
    return ''
  }
}
