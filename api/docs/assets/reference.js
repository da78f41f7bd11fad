// Sends the requests of the reference and shows the responses.

const storageKey = 'switchyard-docs-token'
const maxShown = 200_000

const tokenForm = document.querySelector('form.token')
const tokenField = document.querySelector('#token')

tokenForm.hidden = false
tokenField.value = sessionStorage.getItem(storageKey) ?? ''
tokenField.addEventListener('input', () => sessionStorage.setItem(storageKey, tokenField.value.trim()))
tokenForm.addEventListener('submit', (event) => event.preventDefault())

for (const details of document.querySelectorAll('.try')) {
  details.hidden = false
  const form = details.querySelector('form')
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    void run(form)
  })
}

/** Sends the form as a request, and shows the status and body of the response. */
async function run(form) {
  const output = form.querySelector('output')
  const answer = form.querySelector('.answer')
  output.textContent = 'Sending …'
  answer.hidden = true
  try {
    const { url, init } = await requestOf(form)
    const started = performance.now()
    const response = await fetch(url, init)
    const text = await response.text()
    output.textContent = `${response.status} ${response.statusText} · ${Math.round(performance.now() - started)} ms`
    answer.textContent = pretty(text).slice(0, maxShown)
    answer.hidden = text === ''
  } catch (error) {
    output.textContent = `The request could not be sent: ${error.message}`
  }
}

async function requestOf(form) {
  const { method, path } = form.dataset
  const fields = [...form.querySelectorAll('input')].filter(({ value }) => value !== '')
  const of = (place) => fields.filter((field) => field.dataset.in === place)
  const body = form.elements.namedItem('body')?.value
  const headers = new Headers(of('header').map(({ name, value }) => [name, value]))
  if (body !== undefined) headers.set('Content-Type', 'application/json')
  const token = tokenField.value.trim().replace(/^Bearer /i, '')
  if (token !== '') headers.set('Authorization', `Bearer ${token}`)
  else if (method !== 'GET') await addCsrfToken(headers)
  return {
    url: filled(path, of('path')) + queryOf(of('query')),
    // With a token, the browser's own login must not be used.
    init: { method, headers, credentials: token === '' ? 'same-origin' : 'omit', ...(body !== undefined && { body }) },
  }
}

/** A cookie login needs the token for every method except GET. Without a login there is no token. */
async function addCsrfToken(headers) {
  const response = await fetch('/auth/csrf')
  if (response.ok) headers.set('X-CSRF-Token', (await response.json()).csrfToken)
}

const filled = (path, fields) =>
  fields.reduce((address, { name, value }) => address.replace(`{${name}}`, encodeURIComponent(value)), path)

function queryOf(fields) {
  const query = new URLSearchParams(fields.map(({ name, value }) => [name, value])).toString()
  return query === '' ? '' : `?${query}`
}

function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
