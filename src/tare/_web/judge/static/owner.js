// Refresh the figures every few seconds, unless a form in them is in use.

const live = document.getElementById("live");
const refresh = async () => {
  if (document.hidden || live.contains(document.activeElement)) return;
  try {
    const reply = await fetch("/owner");
    if (!reply.ok) return;
    const page = new DOMParser().parseFromString(await reply.text(), "text/html");
    const fresh = page.getElementById("live");
    if (fresh && fresh.innerHTML !== live.innerHTML && !live.querySelector(":checked")) live.innerHTML = fresh.innerHTML;
  } catch { /* try again at the next interval */ }
};
setInterval(refresh, 5000);
