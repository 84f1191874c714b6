// The token by which the site recognises requests of its own pages. The cookie takes precedence:
// signing in again in another tab makes the page's own token stale.
export function tokenOf(page = document) {
  const cookie = page.cookie.split("; ").find((entry) => entry.startsWith("csrftoken="));
  if (cookie) return cookie.slice("csrftoken=".length);
  return page.querySelector("[name=csrfmiddlewaretoken]").value;
}
