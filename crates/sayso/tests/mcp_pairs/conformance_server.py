"""A server that has what the conformance suite asks for, over Streamable HTTP on the port that it is given."""

import asyncio
import sys

from mcp import types
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.prompts.base import UserMessage
from pydantic import BaseModel, Field

PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
WAV = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA="
server = MCPServer("conformance")


def text(words):
    return types.TextContent(type="text", text=words)


def image():
    return types.ImageContent(type="image", data=PNG, mime_type="image/png")


def resource(uri, kind, words):
    return types.EmbeddedResource(type="resource", resource=types.TextResourceContents(uri=uri, mime_type=kind, text=words))


@server.tool(structured_output=False)
def test_simple_text():
    """Gives a text."""
    return [text("This is a simple text response for testing.")]


@server.tool(structured_output=False)
def test_image_content():
    """Gives a picture."""
    return [image()]


@server.tool(structured_output=False)
def test_audio_content():
    """Gives a sound."""
    return [types.AudioContent(type="audio", data=WAV, mime_type="audio/wav")]


@server.tool(structured_output=False)
def test_embedded_resource():
    """Gives a resource."""
    return [resource("test://embedded-resource", "text/plain", "This is an embedded resource content.")]


@server.tool(structured_output=False)
def test_multiple_content_types():
    """Gives several things."""
    return [text("Multiple content types test:"), image(), resource("test://mixed-content-resource", "application/json", '{"test":"data","value":123}')]


@server.tool(structured_output=False)
async def test_tool_with_logging(ctx: Context):
    """Logs while it works."""
    for words in ("Tool execution started", "Tool processing data", "Tool execution completed"):
        await ctx.info(words)
        await asyncio.sleep(0.05)
    return [text("logged")]


@server.tool(structured_output=False)
async def test_tool_with_progress(ctx: Context):
    """Tells how far it is."""
    for done in (0, 50, 100):
        await ctx.report_progress(done, 100, f"Completed step {done} of 100")
        await asyncio.sleep(0.05)
    return [text("done")]


@server.tool(structured_output=False)
def test_error_handling():
    """Fails."""
    raise ValueError("This tool intentionally returns an error for testing")


@server.tool(structured_output=False)
async def test_sampling(prompt: str, ctx: Context):
    """Asks the client's model."""
    message = types.SamplingMessage(role="user", content=text(prompt))
    answer = await ctx.session.create_message(messages=[message], max_tokens=100)
    return [text(f"LLM response: {getattr(answer.content, 'text', '')}")]


class Person(BaseModel):
    """What a form asks for."""

    username: str = Field(description="User's response")
    email: str = Field(description="User's email address")


@server.tool(structured_output=False)
async def test_elicitation(message: str, ctx: Context):
    """Asks the client's person."""
    answer = await ctx.elicit(message=message, schema=Person)
    return [text(f"User response: action={answer.action}")]


class Defaults(BaseModel):
    """A form with values that are there already."""

    name: str = Field(default="John Doe")
    age: int = Field(default=30)
    score: float = Field(default=95.5)
    verified: bool = Field(default=True)


@server.tool(structured_output=False)
async def test_elicitation_sep1034_defaults(ctx: Context):
    """Asks with defaults."""
    answer = await ctx.elicit(message="Please review and update the form fields with defaults", schema=Defaults)
    return [text(f"Elicitation completed: action={answer.action}")]


@server.tool(structured_output=False)
async def test_reconnection(ctx: Context):
    """Closes its stream, and answers on the next one."""
    await ctx.close_sse_stream()
    await asyncio.sleep(0.1)
    return [text("Reconnection test completed successfully")]


@server.resource("test://static-text", mime_type="text/plain")
def static_text():
    """A text."""
    return "This is the content of the static text resource."


@server.resource("test://static-binary", mime_type="image/png")
def static_binary():
    """A picture."""
    import base64

    return base64.b64decode(PNG)


@server.resource("test://template/{id}/data", mime_type="application/json")
def template(id: str):
    """A text with a part that is given."""
    return f'{{"id":"{id}","templateTest":true,"data":"Data for ID: {id}"}}'


@server.resource("test://watched-resource", mime_type="text/plain")
def watched():
    """A text that can be watched."""
    return "Watched resource content"


@server.prompt()
def test_simple_prompt():
    """A prompt."""
    return [UserMessage("This is a simple prompt for testing.")]


@server.prompt()
def test_prompt_with_arguments(arg1: str, arg2: str):
    """A prompt with arguments."""
    return [UserMessage(f"Prompt with arguments: arg1='{arg1}', arg2='{arg2}'")]


@server.prompt()
def test_prompt_with_embedded_resource(resourceUri: str):
    """A prompt with a resource."""
    return [UserMessage(resource(resourceUri, "text/plain", "Embedded resource content for testing.")), UserMessage("Please process the embedded resource above.")]


@server.prompt()
def test_prompt_with_image():
    """A prompt with a picture."""
    return [UserMessage(image()), UserMessage("Please analyze the image above.")]


@server.completion()
async def complete(ref, argument, context):
    """Nothing completes anything here."""
    return types.Completion(values=[], total=0, has_more=False)


if __name__ == "__main__":
    import uvicorn

    uvicorn.run(server.streamable_http_app(), host="127.0.0.1", port=int(sys.argv[1]), log_level="warning")
