/**
 * Whether a path of the project, with slashes, is in the build context: the last rule of `.dockerignore` that names it
 * or a folder above it decides. Understands `*` within a name, and `!`.
 */
export function contextOf(dockerignore: string): (path: string) => boolean {
  const rules = dockerignore
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => ({ adds: line.startsWith('!'), names: namesOf(line.replace(/^!/, '')) }))
  return (path) => rules.findLast(({ names }) => names(path))?.adds ?? true
}

function namesOf(pattern: string): (path: string) => boolean {
  if (pattern.includes('**')) throw new Error(`.dockerignore: ${pattern} is not understood.`)
  const source = pattern
    .replace(/^\/|\/$/g, '')
    .replaceAll(/[.+?^${}()|[\]\\]/g, String.raw`\$&`)
    .replaceAll('*', '[^/]*')
  const named = new RegExp(`^${source}(/|$)`)
  return (path) => named.test(path)
}
