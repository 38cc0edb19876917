"""/uploads/<id>/: the page to which a form redirects if a worker answers it."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from kschedui.uploads import store
from kschedui.web.api.refusals import Refusal
from kschedui.web.api.routes.uploads import describe, own_upload
from kschedui.web.pages.page_view import REFRESH_SECONDS, page_view


@page_view
@require_safe
def show(request: HttpRequest, uid: str) -> HttpResponse:
    """Show the answer to the form. Until there is one, show upload.html, which reloads itself: `upload` (UploadOut).

    Raises Refusal if the upload failed or was cancelled.
    """
    upload = own_upload(request, uid)
    if upload.state in (store.State.FAILED, store.State.CANCELLED):
        raise Refusal(422, upload.error)
    if upload.state != store.State.DONE:
        response = render(request, "upload.html", {"upload": describe(upload)})
        response.headers["Refresh"] = str(REFRESH_SECONDS)
        return response
    body = b"".join(store.answer_of(upload))
    if upload.status == 302:  # whose body is its address
        return redirect(body.decode())
    return HttpResponse(body, status=upload.status, content_type=upload.content_type)
