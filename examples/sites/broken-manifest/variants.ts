/** One response to the request for a manifest. */
export interface ManifestAnswer {
  status?: number
  type?: string
  headers?: Record<string, string>
  body: string | Buffer
}

export type Variant = keyof typeof variants

const json = (manifest: unknown): ManifestAnswer => ({ body: JSON.stringify(manifest) })

/** A valid manifest; each variant changes one thing. */
const good = (serverUrl: string) => ({
  name: 'Example of a broken manifest',
  version: '1.0.0',
  description: 'Shows what the platform says about manifests that it cannot use.',
  server: { url: serverUrl },
  auth: { type: 'bearer' },
  tools: [
    {
      name: 'get_nothing',
      description: 'Answers with nothing.',
      input_schema: { type: 'object', properties: {}, required: [] },
    },
  ],
})

/** Defects of manifests. Each takes the origin of its site. */
export const variants = {
  /** Violates a rule in nearly every member, to show that all problems are reported together. */
  'several-rules': () =>
    json({
      version: 1,
      description: '',
      server: { url: 'http://tools.example.com/api' },
      auth: { type: 'basic' },
      tools: [
        { name: 'No Spaces Allowed', description: 'The name is not one.', input_schema: { type: 'object' } },
        { name: 'get_thing', input_schema: { type: 'object', properties: {}, required: [] } },
        { name: 'get_thing', description: 'The second of this name.', input_schema: 'text' },
      ],
    }),
  'not-json': () => ({ body: '{ "name": "Example", ' }),
  html: () => ({ type: 'text/html', body: '<!doctype html><title>Welcome</title>' }),
  'not-utf8': (origin) => ({
    body: Buffer.from(JSON.stringify({ ...good(`${origin}/api`), name: 'Caf\u00e9' }), 'latin1'),
  }),
  array: (origin) => json([good(`${origin}/api`)]),
  'too-large': (origin) => json({ ...good(`${origin}/api`), padding: 'x'.repeat(1024 * 1024) }),
  'not-found': () => ({ status: 404, body: '{"error":"There is nothing here."}' }),
  'server-error': () => ({ status: 500, body: '{"error":"Something went wrong."}' }),
  redirect: () => ({ status: 302, headers: { Location: 'https://elsewhere.example/toolsite.json' }, body: '' }),
  /** Valid, but its tools are on a foreign host, which would get the tokens. */
  'foreign-host': () => json(good('https://tools.elsewhere.example/api')),
} as const satisfies Record<string, (origin: string) => ManifestAnswer>
