import { accountsToTry, inPlainWords, type Scope, type User } from './users.ts'

/** Markup. All other text is escaped before it enters a page. */
interface Markup {
  markup: string
}

type Part = string | undefined | Markup | Markup[]

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

const render = (part: Part): string =>
  typeof part === 'object'
    ? [part]
        .flat()
        .map(({ markup }) => markup)
        .join('')
    : (part ?? '').replace(/[&<>"']/g, (sign) => entities[sign] ?? '')

const html = (texts: TemplateStringsArray, ...parts: Part[]): Markup => ({
  markup: texts.map((text, index) => text + render(parts[index])).join(''),
})

const page = (title: string, content: Markup): string =>
  html`<!doctype html>
    <html lang="en">
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width" />
      <title>${title} · Example contacts</title>
      <main>
        <h1>${title}</h1>
        ${content}
      </main>
    </html> `.markup

/** The login page. A form without an action posts to the page's own address. */
export const loginPage = (client: string, problem?: string, name?: string): string =>
  page(
    'Sign in',
    html`<p>${client} wants to use your contacts. Sign in to allow or deny this.</p>
      ${problem === undefined ? undefined : html`<p role="alert">${problem}</p>`}
      <form method="post">
        <p>
          <label>User <input name="user" autocomplete="username" required autofocus value="${name}" /></label>
        </p>
        <p>
          <label>Password <input name="password" type="password" autocomplete="current-password" required /></label>
        </p>
        <p><button>Sign in</button></p>
      </form>
      <p>This is an example. You can sign in as:</p>
      <ul>
        ${accountsToTry.map(
          ({ name, password, may }) =>
            html`<li>
              <code>${name}</code> with <code>${password}</code>, who may:
              ${may.map((one) => inPlainWords[one]).join(', ')}
            </li> `,
        )}
      </ul>`,
  )

export interface Consent {
  client: string
  user: User
  /** What "Allow" grants. */
  given: Scope[]
  /** Requested scopes that this user cannot grant. */
  refused: Scope[]
  /** Where the browser goes afterwards. */
  returnsTo: string
}

/** The page on which a user allows or denies access. */
export const consentPage = ({ client, user, given, refused, returnsTo }: Consent): string =>
  page(
    `Allow ${client} to use your contacts?`,
    html`<p>You are signed in as <strong>${user.name}</strong>. ${client} asks for permission, on your behalf, to:</p>
      <ul>
        ${given.map((scope) => html`<li>${inPlainWords[scope]}</li> `)}
      </ul>
      ${
        refused.length === 0
          ? undefined
          : html`<p>
              It also asked to ${refused.map((scope) => inPlainWords[scope]).join(', ')}. Your account does not have
              this permission, so it will not be granted.
            </p>`
      }
      <form method="post">
        <p>
          <button name="decision" value="allow">Allow</button>
          <button name="decision" value="deny">Deny</button>
        </p>
      </form>
      <p>After that you return to ${returnsTo}.</p>`,
  )

/** The error page, if the browser cannot be sent back to the client. */
export const errorPage = (error: string, description?: string): string =>
  page(
    'This did not work',
    html`<p role="alert">${description ?? 'The request is invalid.'} (${error})</p>
      <p>Go back and try again.</p>`,
  )
