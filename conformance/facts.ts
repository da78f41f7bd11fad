import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import * as v from 'valibot'
import { countOfPorts } from './places.ts'

const address = v.pipe(
  v.string(),
  v.check((text) => /^https?:\/\//i.test(text) && URL.canParse(text)),
)
/** At 0 the system would choose one that the platform may not connect to. */
const port = v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(65_535))

const facts = v.object({
  /** The platform that all of this belongs to. */
  api: address,
  /** Its first admin, as `POST /auth/login` takes it. The password may have been changed since. */
  admin: v.object({ email: v.string(), password: v.string() }),
  /** The example sites. */
  sites: v.object({ issueTracker: address, badTools: address, brokenManifest: address, contacts: address }),
  /** A site that may be connected, but where nothing listens. */
  deadSite: address,
  /** The authority that has signed the example sites' certificates, in PEM. */
  siteCaFile: v.string(),
  /** Where the checker may serve sites of its own, with a certificate that the platform trusts. */
  ownSites: v.object({
    ports: v.pipe(v.array(port), v.minLength(countOfPorts)),
    certFile: v.string(),
    keyFile: v.string(),
  }),
  /** Cards of the sandbox: one that pays, one that is refused at once, and one that is refused when it is charged. */
  cards: v.nullable(v.object({ good: v.string(), refused: v.string(), failing: v.string() })),
  /** Whether the default model is the demo model and follows directives. */
  directives: v.boolean(),
})

/** What cannot be known by HTTP alone. `npm start` writes it into its data folder. */
export type Facts = v.InferOutput<typeof facts>

/** Reads the file; undefined if there is none. Throws a sentence if it cannot be used, without anything out of it. */
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

/** Messages of parsers quote what they have read, and there is a password in it. */
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
