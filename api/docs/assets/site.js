// Adds a button to each code block that copies its text.

/** @param {HTMLElement} block */
function addCopyButton(block) {
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'copy'
  button.textContent = 'Copy'
  button.addEventListener('click', () => void copy(block, button))
  block.append(button)
}

/** Shows the result for two seconds. The clipboard is available only to pages over https or from this machine. */
async function copy(block, button) {
  const text = block.querySelector('code')?.textContent ?? ''
  try {
    await navigator.clipboard.writeText(text)
    button.textContent = 'Copied'
  } catch {
    button.textContent = 'Not copied'
  }
  setTimeout(() => {
    button.textContent = 'Copy'
  }, 2000)
}

for (const block of document.querySelectorAll('.code')) addCopyButton(block)
