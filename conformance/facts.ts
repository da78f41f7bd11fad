import { readFileSync } from 'node:fs'
import * as v from 'valibot'

const address = v.pipe(v.string(), v.url())

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
  ownSites: v.object({ ports: v.array(v.number()), certFile: v.string(), keyFile: v.string() }),
  /** Cards of the sandbox: one that pays, one that is refused at once, and one that is refused when it is charged. */
  cards: v.nullable(v.object({ good: v.string(), refused: v.string(), failing: v.string() })),
  /** Whether the default model is the demo model and follows directives. */
  directives: v.boolean(),
})

/** What cannot be known by HTTP alone. `npm start` writes it into its data folder. */
export type Facts = v.InferOutput<typeof facts>

/** Reads the file; undefined if there is none. Throws a sentence if it is not such a file. */
export function readFacts(file: string): Facts | undefined {
  let written: string
  try {
    written = readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), facts), written)
  if (parsed.success) return parsed.output
  throw new Error(`${file} is not what npm start writes: ${v.summarize(parsed.issues)}`)
}
