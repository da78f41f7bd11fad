import type { SourceFile } from './source.ts'

/** A comment that says which promises a test proves: `// @promise <id> …`. */
export interface Tag {
  ids: string[]
  /** Whether it is directly above a test, or at the top of the file, where it counts for all of it. */
  isAttached: boolean
}

const mark = /^\s*\/\/ @promise\b(.*)$/

/** The tags of a file. */
export function tagsIn({ text }: Pick<SourceFile, 'text'>): Tag[] {
  const lines = text.split('\n')
  const first = lines.findIndex((line) => !line.startsWith('//'))
  return lines.flatMap((line, index) => {
    const [, ids] = mark.exec(line) ?? []
    if (ids === undefined) return []
    const isTop = index < first && text.includes('\nimport ')
    return [{ ids: ids.split(' ').filter(Boolean), isAttached: isTop || isTest(lines[index + 1] ?? '', text) }]
  })
}

/**
 * Whether a line calls `test`, `test.serial`, or a function of the file that declares a test with the title it is given.
 * `testWith` makes such functions.
 */
function isTest(line: string, text: string): boolean {
  if (/^\s*test(\.serial)?\(/.test(line)) return true
  const [, name] = /^\s*(\w+)\(/.exec(line) ?? []
  return name !== undefined && new RegExp(`^(function|const) ${name}\\b.*(\\(title\\b|= testWith\\()`, 'm').test(text)
}

/** The paths of the files that have a promise's tag. */
export const filesWithTag = (id: string, files: readonly SourceFile[]): string[] =>
  files.filter((file) => tagsIn(file).some(({ ids }) => ids.includes(id))).map(({ path }) => path)
