import { readFileSync } from 'node:fs'
import type { SourceFile } from './source.ts'

/** A package in the wrong list of package.json. */
interface Misplaced {
  path: string
  problem: string
}

interface Manifest {
  dependencies: Record<string, string>
  devDependencies: Record<string, string>
}

/** The programs of the image, and the workflows, which the worker bundles by path. */
const programs = ['api', 'worker', 'migrate', 'admin', 'check-site'].map((name) => `bin/${name}.ts`)
const bundled = 'workflows/index.ts'
/** Loaded by its address. */
const ofThreads = 'src/in-thread.ts'

/** Never loaded in the image, where `DATABASE_URL` is set: it starts the Postgres of `npm start`. */
const ofStart = 'bin/local/postgres/embedded-alone.ts'

/** Needed in production, but not imported by the platform's own code. */
const unnamed: Record<string, string> = {
  zod: 'a peer dependency of ai',
}

/** The image has no dev dependencies, and should not contain unused packages. */
export function checkDependencies(files: SourceFile[]): Misplaced[] {
  const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8')
  const { dependencies, devDependencies } = JSON.parse(manifest) as Manifest
  const loaded = loadedBy([...programs, bundled, ofThreads], files)
  const imports = loaded.flatMap(({ path, imports }) =>
    imports.filter(({ typeOnly }) => !typeOnly).map(({ target }) => ({ path, target })),
  )
  const missing = imports
    .filter(({ target }) => target in devDependencies && !(target in dependencies))
    .map(({ path, target }) => ({ path, problem: `imports ${target}, which the image does not have` }))
  const used = new Set(imports.map(({ target }) => target))
  const idle = Object.keys(dependencies)
    .filter((name) => !used.has(name) && !(name in unnamed))
    .map((name) => ({
      path: 'package.json',
      problem: `has ${name} as a dependency, which nothing in the image imports`,
    }))
  return [...missing, ...idle]
}

/** These files and all files that they import at run time. */
function loadedBy(paths: string[], files: SourceFile[]): SourceFile[] {
  const all = new Map(files.map((file) => [file.path, file]))
  const loaded = new Set<SourceFile>()
  const load = (path: string): void => {
    const file = all.get(path)
    if (!file || path === ofStart || loaded.has(file)) return
    loaded.add(file)
    for (const { target, typeOnly } of file.imports) if (!typeOnly) load(target)
  }
  paths.forEach(load)
  return [...loaded]
}
