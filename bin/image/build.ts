import { cpSync, existsSync, mkdirSync, readFileSync, rmdirSync, statSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, join, relative } from 'node:path'
import { execa } from '../execa.ts'
import { printDuration } from '../local/print-duration.ts'
import { nodeUser } from './base.ts'
import { ran, startLine, type Inside } from './container.ts'
import { contextOf } from './context.ts'
import { copyOf, readDockerfile, variablesOf, type Instruction, type Stage } from './dockerfile.ts'

/** A finished image: its files and what its last stage says about starting it. */
export interface Image {
  root: string
  env: Record<string, string>
  folder: string
  user: number | undefined
  command: string[]
}

interface Building {
  project: string
  /** A new folder with a root for each stage. */
  work: string
  /** The root that stands for the image of each FROM. */
  base: string
  /** For npm: its settings, the proxies and more authorities, none of which stay in the image. */
  environment: Record<string, string>
}

/** Carries out every step of the Dockerfile, and says which. Resolves with the last stage. */
export async function buildImage(building: Building): Promise<Image> {
  const stages = readDockerfile(readFileSync(join(building.project, 'Dockerfile'), 'utf8'))
  const built = new Map<string, Image>()
  let image: Image | undefined
  for (const [index, stage] of stages.entries()) {
    image = await buildStage(building, stage, { index, built })
    if (stage.name !== undefined) built.set(stage.name, image)
  }
  if (!image) throw new Error('The Dockerfile has no stage.')
  return image
}

async function buildStage(
  building: Building,
  stage: Stage,
  { index, built }: { index: number; built: Map<string, Image> },
): Promise<Image> {
  const root = join(building.work, `stage-${index}`)
  await execa('cp', ['--archive', building.base, root])
  const image: Image = { root, env: { PATH: usualPath }, folder: '/', user: undefined, command: [] }
  console.log(`FROM ${stage.from.split('@')[0]}`)
  for (const step of stage.steps)
    await printDuration(`  ${step.name} ${step.text}`, () => carryOut(building, image, { step, built }))
  return image
}

const usualPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

async function carryOut(
  building: Building,
  image: Image,
  { step, built }: { step: Instruction; built: Map<string, Image> },
): Promise<void> {
  const steps: Record<string, (text: string) => unknown> = {
    RUN: (text) => run(building, image, text),
    COPY: (text) => copy(building, image, { text, built }),
    ENV: (text) => Object.assign(image.env, variablesOf(text)),
    WORKDIR(text) {
      image.folder = text
      mkdirSync(join(image.root, text), { recursive: true })
    },
    USER(text) {
      if (text !== 'node') throw new Error(`The user ${text} is not known.`)
      image.user = nodeUser
    },
    CMD: (text) => (image.command = JSON.parse(text) as string[]),
    EXPOSE: () => undefined,
  }
  const carriesOut = steps[step.name]
  if (!carriesOut) throw new Error(`${step.name} is not understood.`)
  await carriesOut(step.text)
}

function copy({ project }: Building, image: Image, { text, built }: { text: string; built: Map<string, Image> }): void {
  const { from, sources, to } = copyOf(text)
  const other = from === undefined ? undefined : built.get(from)
  if (from !== undefined && !other) throw new Error(`There is no stage ${from}.`)
  const isInContext = contextOf(readFileSync(join(project, '.dockerignore'), 'utf8'))
  const isCopied = other ? () => true : (path: string) => isInContext(relative(project, path))
  for (const source of sources) {
    const path = join(other?.root ?? project, source)
    if (!isCopied(path)) throw new Error(`.dockerignore leaves out ${source}.`)
    const isWhole = statSync(path).isDirectory() || !to.endsWith('/')
    const destination = join(image.root, to.startsWith('/') ? '' : image.folder, to, isWhole ? '' : basename(source))
    cpSync(path, destination, { recursive: true, filter: isCopied })
  }
}

/** Where a step finds npm's settings and authorities. The image has neither. */
const aside = '/run/build'

async function run({ work, environment }: Building, image: Image, text: string): Promise<void> {
  const { files, env } = outsideOf(environment, join(work, 'aside'))
  const created = join(image.root, aside)
  mkdirSync(created)
  const resolver = join(image.root, 'etc/resolv.conf')
  if (!existsSync(resolver)) writeFileSync(resolver, '')
  const inside: Inside = {
    ...image,
    env: { HOME: '/root', ...image.env, ...env },
    mounts: { [aside]: files, '/etc/resolv.conf': '/etc/resolv.conf' },
    tmpfs: ['/tmp'],
  }
  await ran(startLine(inside, ['sh', '-c', text]), `RUN ${text}`)
  rmdirSync(created)
}

/** What a build needs of this machine to reach the registry: the proxies, npm's settings and more authorities. */
function outsideOf(environment: Record<string, string>, files: string): { files: string; env: Record<string, string> } {
  mkdirSync(files, { recursive: true })
  const proxies = Object.entries(environment).filter(([name]) => /^(https?|no)_proxy$/i.test(name))
  const settings = environment['npm_config_userconfig'] ?? join(homedir(), '.npmrc')
  const given = { npm_config_userconfig: settings, NODE_EXTRA_CA_CERTS: environment['NODE_EXTRA_CA_CERTS'] }
  const there = Object.entries(given).filter(([, file]) => file !== undefined && existsSync(file))
  for (const [name, file] of there) cpSync(file!, join(files, name))
  const named = there.map(([name]) => [name, `${aside}/${name}`] as const)
  return { files, env: Object.fromEntries([...proxies, ...named]) }
}
