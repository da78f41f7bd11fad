import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import * as v from 'valibot'
import { countOfPorts } from './site-ports.ts'

const address = v.pipe(
  v.string(),
  v.check((text) => /^https?:\/\//i.test(text) && URL.canParse(text)),
)
/** For port 0, the system could choose one that the platform may not connect to. */
const port = v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(65_535))

const facts = v.object({
  /** The platform that these facts describe. */
  api: address,
  /** The first admin, as the body of `POST /auth/login`. The password may have changed since. */
  admin: v.object({ email: v.string(), password: v.string() }),
  sites: v.object({ issueTracker: address, badTools: address, brokenManifest: address, contacts: address }),
  /** A site that may be connected, but where nothing listens. */
  deadSite: address,
  /** The authority that has signed the example sites' certificates, in PEM. */
  siteCaFile: v.string(),
  /** The ports for the checker's own sites, and a certificate that the platform trusts. */
  ownSites: v.object({
    ports: v.pipe(v.array(port), v.minLength(countOfPorts)),
    certFile: v.string(),
    keyFile: v.string(),
  }),
  /** Sandbox cards: one that pays, one that is refused immediately, and one that is refused when charged. */
  cards: v.nullable(v.object({ good: v.string(), refused: v.string(), failing: v.string() })),
  /** Whether the default model is the demo model and follows directives. */
  directives: v.boolean(),
})

/** Facts that HTTP alone does not show. `npm start` writes them to its data folder. */
export type Facts = v.InferOutput<typeof facts>

/**
 * Reads the file; undefined if it does not exist. Throws a sentence without any of the content if the file is invalid.
 */
export function readFacts(file: string): Facts | undefined {
  const written = readText(file)
  if (written === undefined) return undefined
  const known = parse(file, written)
  const { siteCaFile, ownSites } = known
  for (const named of [siteCaFile, ownSites.certFile]) assertCertificate(file, named)
  readNamed(file, ownSites.keyFile)
  return known
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return undefined
    throw new Error(`${file} cannot be read: ${code}`, { cause: error })
  }
}

/** Parsers quote their input in messages, and it contains a password. */
function parse(file: string, written: string): Facts {
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), facts), written)
  if (parsed.success) return parsed.output
  const places = parsed.issues.map((issue) => v.getDotPath(issue)).filter((place) => place !== null)
  const problem = places.length > 0 ? `look at ${places.join(', ')}` : 'it is not a JSON object'
  throw new Error(`${file} is not what npm start writes: ${problem}.`)
}

function assertCertificate(file: string, named: string): void {
  if (!isCertificate(readNamed(file, named))) throw new Error(`${file} names ${named}, which holds no certificate.`)
}

function isCertificate(text: string): boolean {
  try {
    return new X509Certificate(text).raw.length > 0
  } catch {
    return false
  }
}

function readNamed(file: string, named: string): string {
  try {
    return readFileSync(named, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new Error(`${file} names ${named}, which cannot be read: ${code}`, { cause: error })
  }
}
