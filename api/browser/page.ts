/** The text of a small page: a title and paragraphs. */
export interface PageText {
  title: string
  text: string[]
  good: boolean
  /** The page's only link: an address on this platform, and its label. */
  action?: { href: string; label: string }
}

/** Renders a page for people. It loads nothing, and every text is escaped. */
export const renderPage = ({ title, text, good, action }: PageText): string => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="format-detection" content="telephone=no, date=no, address=no, email=no" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>${escape(title)} - Switchyard</title>
    <style>
      :root { color-scheme: light dark; }
      body { font: 1.1rem/1.5 system-ui, sans-serif; max-width: 34rem; margin: 15vh auto 0; padding: 0 1.5rem; }
      .action { display: inline-block; border: 2px solid; border-radius: 0.4rem; padding: 0.4rem 1rem; }
      h1 { font-size: 1.5rem; border-left: 0.4rem solid ${good ? '#2e7d32' : '#c62828'}; padding-left: 0.8rem; }
    </style>
  </head>
  <body>
    <main>
      <h1>${escape(title)}</h1>
${text.map((paragraph) => `      <p>${escape(paragraph)}</p>`).join('\n')}
${action ? `      <p><a class="action" href="${escape(action.href)}">${escape(action.label)}</a></p>` : ''}
    </main>
  </body>
</html>
`

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

const escape = (text: string): string => text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? '')
